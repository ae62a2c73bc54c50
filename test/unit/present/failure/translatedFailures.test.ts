/** Failures that are known by their data are told in the language of the user, from the first word to the last. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HostError } from '../../../../src/core/base/hostError.js';
import { changedError } from '../../../../src/core/consent/toolDefinition.js';
import { endedBy, notSent } from '../../../../src/core/host/endReasons.js';
import { failureLine, failureLogLine } from '../../../../src/core/present/failure/failureText.js';
import { readCapabilities } from '../../../../src/core/session/legacyCodec.js';
import { markTexts } from '../../../support/languages.js';

const reasons = ['stopped', 'restarted', 'disabled', 'removed'] as const;
const changes = ['changed', 'unhashable', 'unreadable', 'gone'] as const;

function thrown(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return assert.fail('nothing was thrown');
}

const failures: [text: string, error: unknown][] = [
  ...reasons.flatMap((reason): [string, unknown][] => {
    const what = { removed: 'removed from the configuration' }[reason as string] ?? reason;
    return [
      [`The server "db" was ${what} before it answered.`, endedBy(reason)],
      [`The server "db" was ${what} before the call was sent.`, notSent(reason)],
    ];
  }),
  ...changes.map((why): [string, unknown] => ['The tool "drop" of "db" ', changedError('db', 'drop', why)]),
  [
    'The answer of the server "db" to initialize has no "capabilities" object.',
    thrown(() => readCapabilities(1, 'initialize')),
  ],
  ['The server "db" is disabled. Enable it first.', new HostError('not-running', 'x', { data: { why: 'disabled' } })],
  [
    '"db" is not running, so nothing can be sent to it. Start it first.',
    new HostError('not-running', 'x', { data: { why: 'idle' } }),
  ],
  ['"db" stopped before the request was sent.', new HostError('not-running', 'x', { data: { why: 'stopped' } })],
  [
    'The server "db": Needs your approval (.mcp.json).',
    new HostError('not-trusted', 'x', { data: { source: '.mcp.json' } }),
  ],
  [
    'The server "db": This workspace is not trusted. Trust the workspace to start servers.',
    new HostError('not-trusted', 'x', { data: { isWorkspace: true } }),
  ],
  ['The server "db": Needs a value for "key".', new HostError('needs-input', 'x', { data: { input: 'key' } })],
  [
    'You denied the call of "drop" of "db". It is asked again next time.',
    new HostError('call-refused', 'x', { data: { tool: 'drop', by: 'user' } }),
  ],
  [
    'A rule denies the call of "drop" of "db": deny all. Change or remove the rule in the Rules view.',
    new HostError('call-refused', 'x', { data: { tool: 'drop', by: 'rule', rule: 'deny all' } }),
  ],
  [
    'The server "db" has ended the session; tools/call was not processed.',
    new HostError('session-expired', 'x', { data: { status: 404, method: 'tools/call' } }),
  ],
  [
    'The server "db" asked for input 10 times without finishing tools/call.',
    new HostError('too-many-rounds', 'x', { data: { method: 'tools/call', rounds: 10 } }),
  ],
  [
    'The server "db" has no tool "ecko". Run "MCP Deck: Run Tool…" to see the tools there are.',
    new HostError('unknown-tool', 'x', { data: { tool: 'ecko' } }),
  ],
  [
    'There is no server "mail" here. Known servers: a, b.',
    new HostError('unknown-server', 'x', { data: { name: 'mail', known: ['a', 'b'] } }),
  ],
  [
    'There is no server "mail" here any more. Add it again, or close the editor.',
    new HostError('unknown-server', 'x', { data: { name: 'mail', isGone: true } }),
  ],
];

for (const [text, error] of failures)
  test(`is told in the language of the user, and in English in the log: ${text} (${(error as HostError).message})`, (context) => {
    assert.ok(failureLine(error, 'db').startsWith(text), failureLine(error, 'db'));
    markTexts(context);
    // What happened and what to do are one translated text each.
    assert.match(failureLine(error, 'db'), /^‹.+› ‹.+›$/);
    assert.ok(failureLogLine(error, 'db').startsWith(text));
  });
