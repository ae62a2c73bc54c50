import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { definitionHash } from '../../../src/core/config/definitionHash.js';
import { describeStart } from '../../../src/core/config/describeStart.js';
import { localFields, otherSpellings, remoteFields, socketFields } from '../../../src/core/config/fieldNames.js';
import { parseConfigValue } from '../../../src/core/config/parseConfig.js';
import type { ConfigSource, ServerDefinition } from '../../../src/core/config/serverDefinition.js';

type Entry = Readonly<Record<string, unknown>>;

const source: ConfigSource = { id: 'vscode:x', kind: 'vscode', label: '.vscode/mcp.json', folderPath: '/w' };

/**
 * For each field that decides what runs or connects: two entries that differ only in it. The approval must not cover
 * the second entry, and its question must show the difference.
 */
const decisive: Readonly<Record<string, readonly [Entry, Entry]>> = {
  type: [
    { type: 'http', url: 'https://x' },
    { type: 'sse', url: 'https://x' },
  ],
  command: [{ command: 'x' }, { command: 'y' }],
  args: [
    { command: 'x', args: ['1'] },
    { command: 'x', args: ['2'] },
  ],
  env: [
    { command: 'x', env: { A: '1' } },
    { command: 'x', env: { A: '2' } },
  ],
  envFile: [{ command: 'x' }, { command: 'x', envFile: '.env' }],
  cwd: [{ command: 'x' }, { command: 'x', cwd: '/tmp' }],
  framing: [{ command: 'x' }, { command: 'x', framing: 'content-length' }],
  url: [{ url: 'https://x' }, { url: 'https://y' }],
  serverUrl: [{ serverUrl: 'https://x' }, { serverUrl: 'https://y' }],
  transport: [{ transport: { type: 'http', url: 'https://x' } }, { transport: { type: 'http', url: 'https://y' } }],
  headers: [
    { url: 'https://x', headers: { A: '1' } },
    { url: 'https://x', headers: { A: '2' } },
  ],
  caFile: [{ url: 'https://x' }, { url: 'https://x', caFile: 'ca.pem' }],
  oauth: [{ url: 'https://x' }, { url: 'https://x', oauth: { issuer: 'https://y' } }],
};

/** Fields that change neither what runs nor what receives a value. Each needs a reason. */
const harmless: Readonly<Record<string, string>> = {
  disabled: 'a disabled server does not start',
  enabled: 'a disabled server does not start',
  disabledTools: 'only removes tools; an enabled tool still needs the approval of its calls',
  protocol: 'the revision of the messages to the same server',
  timeout: 'how long MCP Deck waits',
  timeoutMs: 'how long MCP Deck waits',
  startTimeoutMs: 'how long MCP Deck waits',
  maxMessagesPerSecond: 'how fast MCP Deck sends',
  restartOnCrash: 'starts what was approved',
  sharing: 'how many of the approved processes run for clients of the gateway, at most eight',
};

function definitionOf(entry: Entry): ServerDefinition {
  const { servers, problems } = parseConfigValue({ s: entry }, source);
  const [server] = servers;
  assert.ok(server, problems.map(({ message }) => message).join('\n'));
  return server.definition;
}

describe('[C3] every field of a server is part of its approval or is known to be harmless:', () => {
  for (const name of new Set([...localFields, ...remoteFields, ...socketFields, ...otherSpellings]))
    test(name, () => {
      if (Object.hasOwn(harmless, name)) return;
      const pair = decisive[name];
      assert.ok(
        pair,
        `"${name}" is new: add two entries that differ in it to "decisive", or add it to "harmless" with a reason.`,
      );
      const [one, other] = pair.map((entry) => definitionOf(entry)) as [ServerDefinition, ServerDefinition];
      assert.notEqual(definitionHash(one, source), definitionHash(other, source), 'the hash ignores the field');
      assert.notDeepEqual(
        describeStart({ definition: one, source }),
        describeStart({ definition: other, source }),
        'the question does not show the field',
      );
    });

  test('the program of the debugger', () => {
    const start = (debugpyPath: string) =>
      definitionOf({ command: 'python', dev: { debug: { type: 'debugpy', debugpyPath } } });
    assert.notEqual(definitionHash(start('a'), source), definitionHash(start('b'), source));
    assert.notDeepEqual(
      describeStart({ definition: start('a'), source }),
      describeStart({ definition: start('b'), source }),
    );
  });
});

test('the lists of this test name only existing fields', () => {
  const known = new Set([...localFields, ...remoteFields, ...otherSpellings]);
  assert.deepEqual(
    [...Object.keys(decisive), ...Object.keys(harmless)].filter((name) => !known.has(name)),
    [],
  );
});
