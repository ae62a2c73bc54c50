/**
 * Holds what our client says in every test of a file that imports this against the official schemas and the rules of the
 * revision that was agreed on, on each connection that a session opens; a test fails in which it said something wrong.
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

// At its end, so that what the session does about a failure does not hide why.
afterEach(() => {
  const faults = oracles.flatMap(({ problems }) => problems.splice(0));
  // Sessions may outlive a test, connections of its host.
  oracles = oracles.filter(({ isOver }) => !isOver);
  assert.deepEqual(faults, []);
});
