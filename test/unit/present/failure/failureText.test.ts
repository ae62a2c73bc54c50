import assert from 'node:assert/strict';
import { test } from 'node:test';
import { authError } from '../../../../src/core/auth/authProblem.js';
import { HostError, UserError } from '../../../../src/core/base/hostError.js';
import {
  failedServer,
  failureMessage,
  failureReason,
  noteServer,
  failureText,
} from '../../../../src/core/present/failure/failureText.js';
import { ProtocolError } from '../../../../src/core/protocol/jsonRpc.js';
import { unlinked } from '../../../../src/core/base/hostileText.js';

const trusted = { isWorkspaceTrusted: true, server: 'db' };

test('canceling is silent', () => {
  const abort = new Error('aborted');
  abort.name = 'AbortError';
  for (const error of [new HostError('cancelled', 'Stopped.'), abort])
    assert.equal(failureMessage(error, trusted), undefined);
});

test('a message for the user is shown as it is', () => {
  assert.deepEqual(failureText(new UserError('No server is running.'), 'a'), {
    what: 'No server is running.',
    next: '',
  });
  assert.deepEqual(failureMessage(new UserError('No server is running.'), trusted), {
    severity: 'warning',
    text: 'No server is running.',
    actions: [],
    isUnexpected: false,
  });
});

test('a host error says what happened to which server and what to do, with actions', () => {
  const error = new HostError('exited', 'The server process ended.', {
    data: { code: 1, stderr: ['starting', 'no database'] },
    hint: 'look at its log',
  });
  assert.deepEqual(failureMessage(error, trusted), {
    severity: 'error',
    text: 'The server "db" exited with code 1: no database. Look at its log.',
    actions: ['tryAgain', 'showLog', 'diagnoseServer'],
    isUnexpected: false,
  });
});

test('a crash names its cause and not the end of its stack, and a missing variable can be set', () => {
  const error = new HostError('exited', 'The server process ended.', {
    data: {
      code: 1,
      stderr: [
        'Error: Missing required environment variable ACME_KEY',
        '    at main (/opt/acme/index.js:12:9)',
        'Node.js v20.20.2',
      ],
    },
  });
  assert.deepEqual(failureMessage(error, trusted), {
    severity: 'error',
    text: 'The server "db" exited with code 1: Error: Missing required environment variable ACME_KEY. Set ACME_KEY in the environment of the server, and then start the server again.',
    actions: ['setSecret', 'editServer', 'showLog', 'diagnoseServer'],
    variable: 'ACME_KEY',
    isUnexpected: false,
  });
  assert.equal(failureReason(error), 'Error: Missing required environment variable ACME_KEY (exited with code 1)');
});

test('a refusal without sign-in metadata shows the words of the server and offers an API key', () => {
  const error = authError('no-metadata', {
    server: 'db',
    detail: 'nothing was found',
    said: 'Provide a key in the X-Api-Key header',
    keyHeader: 'X-Api-Key',
  });
  const message = failureMessage(error, trusted);
  assert.equal(
    message?.text,
    'The server "db" refused the request (401) and does not publish where to sign in. The response says: Provide a key in the X-Api-Key header. Set the API key. MCP Deck sends it in the header "X-Api-Key".',
  );
  assert.deepEqual(message.actions, ['setSecret', 'signIn', 'diagnoseServer']);
});

test('an error of a server is never reported as unexpected, and its code is never the message', () => {
  const text = (message: string, code = -32000) => failureMessage(new ProtocolError(code, message), trusted)?.text;
  assert.deepEqual(
    [
      text('disk full'),
      text(''),
      text('-32000'),
      text('MCP error -32000: disk full'),
      text('Error: disk full\n    at write (/srv/app.js:10:3)'),
      text('at write (/srv/app.js:10:3)'),
      text('no such row', -32602),
    ],
    [
      'The server "db" refused the request: disk full. Its log might have more details.',
      'The server "db" refused the request without giving a reason. Its log might have more details.',
      'The server "db" refused the request without giving a reason. Its log might have more details.',
      'The server "db" refused the request: disk full. Its log might have more details.',
      'The server "db" refused the request: disk full. Its log might have more details.',
      'The server "db" refused the request without giving a reason. Its log might have more details.',
      'The server "db" does not accept the arguments: no such row. Correct the arguments, and then try again.',
    ],
  );
});

test('a failure with a server keeps that server', () => {
  const errors = [new HostError('timeout', 'Late.'), new ProtocolError(-1, 'no')];
  for (const error of errors) {
    noteServer(error, 'mail');
    noteServer(error, 'other');
  }
  assert.deepEqual(errors.map(failedServer), ['mail', 'mail']);
  assert.match(failureMessage(errors[1], trusted)?.text ?? '', /"mail"/);
});

test('actions that need a server are not offered without one', () => {
  assert.deepEqual(
    failureMessage(new HostError('spawn-failed', 'No.', { data: { command: 'x' } }), { isWorkspaceTrusted: true })
      ?.actions,
    ['showLog'],
  );
});

test('missing trust leads to the review, or to Workspace Trust in Restricted Mode', () => {
  const error = new HostError('not-trusted', 'needs your approval (.mcp.json)');
  assert.deepEqual(failureMessage(error, trusted), {
    severity: 'warning',
    text: 'The server "db": Needs your approval (.mcp.json). Review what the server would run, and then start it.',
    actions: ['reviewTrust'],
    isUnexpected: false,
  });
  assert.deepEqual(failureMessage(error, { ...trusted, isWorkspaceTrusted: false })?.actions, ['manageWorkspaceTrust']);
});

test('an internal error is a short message, and its stack goes to the log', () => {
  assert.deepEqual(failureMessage(new TypeError('x is undefined'), trusted), {
    severity: 'error',
    text: 'The action failed: x is undefined. This is a bug in MCP Deck. If you report it, include the MCP Deck log.',
    actions: ['showLog'],
    isUnexpected: true,
  });
});

test('[V3] text of a server cannot put a command link into a notification', () => {
  const text =
    failureMessage(
      new HostError('handshake-failed', 'It said: [Click](command:workbench.action.quit) \u202eok'),
      trusted,
    )?.text ?? '';
  assert.doesNotMatch(text, /\]\(/);
  assert.match(text, /\\u\{202e\}/);
  assert.equal(unlinked('[a](https://x)'), '[a] (https://x)');
});

test('the line of a failed server gives a short reason', () => {
  const reason = (
    code: ConstructorParameters<typeof HostError>[0],
    data: Record<string, unknown>,
    message = 'A whole sentence about it. And more.',
  ) => failureReason(new HostError(code, message, { data }));
  assert.deepEqual(
    [
      reason('spawn-failed', { command: 'uvx', errno: 'ENOENT' }),
      reason('spawn-failed', { command: './run', errno: 'EACCES' }),
      reason('exited', { code: 3 }),
      reason('exited', { signal: 'SIGKILL' }),
      reason('timeout', { waitedMs: 60_000, method: 'initialize' }),
      reason('connection-refused', { errno: 'ECONNREFUSED' }),
      reason('http-status', { status: 502 }),
      reason('handshake-failed', {}),
      failureReason(new Error('plain\nerror')),
    ],
    [
      'command not found: uvx',
      'not allowed to run: ./run',
      'exited with code 3',
      'ended by SIGKILL',
      'no response within 1 min',
      'connection refused',
      'HTTP status 502',
      'A whole sentence about it',
      'plain error',
    ],
  );
});
