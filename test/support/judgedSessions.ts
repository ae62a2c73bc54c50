/**
 * Checks every message of our client, in every test of a file that imports this module, on each connection of a
 * session, against the official schemas and the rules of the revision agreed on. A test fails if the client sent an
 * invalid message.
 */
import assert from 'node:assert/strict';
import { afterEach } from 'node:test';
import type { OpenTransport } from '../../src/core/session/handshake.js';
import { McpSession } from '../../src/core/session/mcpSession.js';
import { InteropOracle } from './interopOracle.js';

let oracles: InteropOracle[] = [];

const open = McpSession.open.bind(McpSession);
McpSession.open = (openTransport: OpenTransport, options) =>
  open((fallback) => {
    const oracle = new InteropOracle({ keepsMessages: false });
    oracles.push(oracle);
    return oracle.wrap(openTransport(fallback));
  }, options);

// At the end of the test, so that the session's own handling of a failure does not hide the cause.
afterEach(() => {
  const faults = oracles.flatMap(({ problems }) => problems.splice(0));
  // Sessions may outlive a test, like the connections of its host.
  oracles = oracles.filter(({ isOver }) => !isOver);
  assert.deepEqual(faults, []);
});
