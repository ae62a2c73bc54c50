import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { authError, authProblems } from '../../../../src/core/auth/authProblem.js';
import type { RegistryProblem } from '../../../../src/core/base/failureKinds.js';
import { HostError } from '../../../../src/core/base/hostError.js';
import { countHidden } from '../../../../src/core/base/hostileText.js';
import { storageFailure } from '../../../../src/core/base/storageFailure.js';
import { galleryError } from '../../../../src/core/gallery/galleryError.js';
import { failureMessage, failureReason } from '../../../../src/core/present/failure/failureText.js';
import type { FailureClass } from '../../../../src/core/present/failure/failureFacts.js';
import { failureTexts } from '../../../../src/core/present/failure/failureTexts.js';
import { ProtocolError } from '../../../../src/core/protocol/jsonRpc.js';
import { tooLarge } from '../../../../src/core/protocol/lineSplitter.js';
import {
  brokenAnswer,
  connectionError,
  contentError,
  statusError,
} from '../../../../src/core/transport/http/httpErrors.js';

/** For every failure, the user reads which server failed, what happened and what to do. */

const place = 'http://localhost:3000/mcp';
const socketError = (code: string, message = 'connect failed') => Object.assign(new Error(message), { code });
const status = (code: number, text = '') =>
  statusError('tools/call', { status: code, contentType: 'text/plain', text, retryAfter: undefined });
const refusal = (code: number) => [new ProtocolError(code, 'because of the weather'), new ProtocolError(code, '')];
const bare = (code: HostError['code'], message: string, data: Record<string, unknown> = {}) =>
  new HostError(code, message, { data });

const fileError = (code: string) =>
  Object.assign(new Error(`${code}: it did not work, open '/work/out.csv'`), {
    code,
    syscall: 'open',
    path: '/work/out.csv',
  });

const registryProblems: readonly RegistryProblem[] = [
  ...(['status', 'sign-in', 'redirect', 'redirect-too-often', 'timeout', 'cut'] as const),
  ...(['too-large', 'too-many', 'not-json', 'wrong-shape', 'endless', 'no-api'] as const),
];

/** Failures of every class, with the data from their origin. */
const samples: Record<FailureClass, readonly Error[]> = {
  timeout: [
    bare('timeout', 'initialize was not answered within 60 s.', { waitedMs: 60_000, method: 'initialize' }),
    bare('timeout', 'The server did not accept tools/call in time.', { method: 'tools/call' }),
  ],
  closed: [
    bare('closed', 'The server closed its output.'),
    connectionError(socketError('ECONNRESET'), place),
    brokenAnswer('tools/call', 'the body ended early'),
  ],
  'not-running': [bare('not-running', 'The server "db" is disabled.')],
  'not-trusted': [
    bare('not-trusted', 'needs your approval (.mcp.json)'),
    bare('not-trusted', 'This workspace is not trusted.'),
  ],
  blocked: [
    bare('blocked', 'The server is blocked by chat.mcp.access.', {
      by: 'organization',
      setting: 'chat.mcp.access',
      why: 'none',
    }),
  ],
  'needs-input': [bare('needs-input', 'needs a value for "key"', { input: 'key' })],
  'call-refused': [
    bare('call-refused', 'A rule denies the call to "drop" on "db": deny "drop" of "db".', {
      tool: 'drop',
      by: 'rule',
    }),
    bare('call-refused', 'You denied the call to "drop" on "db".', { tool: 'drop', by: 'user' }),
  ],
  'tool-changed': [
    bare(
      'tool-changed',
      'The tool "drop" of "db" is not what it was when it was approved; it does not run before you have reviewed it.',
      { tool: 'drop', why: 'changed' },
    ),
  ],
  'spawn-failed': [
    bare('spawn-failed', 'Command not found: uvx (looked in the 3 folders of PATH).', {
      command: 'uvx',
      errno: 'ENOENT',
    }),
  ],
  exited: [
    bare('exited', 'x', { code: 0, signal: null, stderr: [] }),
    bare('exited', 'x', { code: null, signal: 'SIGKILL', stderr: ['gone'] }),
    bare('exited', 'It ended.', {}),
  ],
  'input-refused': [
    bare(
      'input-refused',
      'The server requires "sampling/createMessage" before it responds. MCP Deck refused the request, because it does not offer this feature to servers.',
      { method: 'sampling/createMessage' },
    ),
  ],
  'handshake-failed': [bare('handshake-failed', 'The server refused to start a session: no (code -32000).')],
  'unsupported-version': [
    bare(
      'unsupported-version',
      'The server supports 2099-01-01. MCP Deck supports only 2026-07-28 with this handshake.',
      {
        theirs: ['2099-01-01'],
      },
    ),
  ],
  'invalid-message': [
    bare('invalid-message', `The server's answer to tools/list is not valid MCP: "tools" is not a list.`),
    contentError('initialize', 200, 'text/html', '<title>Hotel Wi-Fi</title>'),
    contentError('tools/call', 200, '', ''),
    connectionError(socketError('HPE_INVALID_CONSTANT'), place),
    connectionError(socketError('HPE_HEADER_OVERFLOW'), place),
  ],
  'too-large': [tooLarge(2 ** 26)],
  'send-failed': [
    bare(
      'send-failed',
      'The server does not read the messages that are sent to it, and too much data is already waiting.',
    ),
  ],
  'http-status': [
    status(400, 'no'),
    status(403),
    status(404),
    status(407),
    status(429),
    status(500, '\u001b[31mred'),
    status(503),
    bare('http-status', 'There is no response to initialize: it redirects to another origin.', { status: 307 }),
  ],
  'session-expired': [bare('session-expired', 'The server has ended the session, and tools/call was not processed.')],
  'auth-required': [authError('sign-in-needed', { server: 'db', issuer: 'https://id.example' })],
  'auth-failed': authProblems.map((problem) =>
    authError(problem, {
      server: 'db',
      issuer: 'https://id.example',
      url: 'https://id.example/token',
      detail: 'the reason',
      scopes: ['read'],
    }),
  ),
  'connection-refused': [
    'ECONNREFUSED',
    'ENOENT',
    'ENOTFOUND',
    'EAI_AGAIN',
    'ETIMEDOUT',
    'ENETUNREACH',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'CERT_HAS_EXPIRED',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'EPROTO',
    'EOTHER',
  ].map((code) => connectionError(socketError(code), place)),
  'bad-configuration': [bare('bad-configuration', "The server's address cannot be used: it has no host.")],
  'registry-failed': registryProblems.map((problem) =>
    galleryError('https://servers.example.com', {
      problem,
      status: 500,
      limit: 20_000,
      detail: 'https://other.example',
    }),
  ),
  'unknown-server': [bare('unknown-server', 'There is no server "db" in this window.')],
  'unknown-tool': [bare('unknown-tool', 'The server "db" has no tool "ecko".')],
  'unknown-skill': [bare('unknown-skill', 'The server has no skill at skill://x/SKILL.md: unknown')],
  'unknown-prompt': [bare('unknown-prompt', 'The server "db" has no prompt "x".')],
  'list-failed': [
    bare('list-failed', 'The server could not list its tools, so MCP Deck cannot tell whether it has "echo": broken.', {
      list: 'tools',
      reason: 'broken',
    }),
  ],
  unsupported: [bare('unsupported', 'The server cannot complete arguments.')],
  'invalid-arguments': [bare('invalid-arguments', 'The arguments are not valid for the tool "echo": text is missing.')],
  'too-many-rounds': [bare('too-many-rounds', 'The server asked for input 10 times without finishing tools/call.')],
  'verification-failed': [bare('verification-failed', 'The skill file skill://x was refused: its hash differs.')],
  'storage-failed': [
    storageFailure(fileError('ENOSPC'), { operation: 'write', thing: '/work/out.csv' }),
    storageFailure(new Error('The keyring is locked'), { operation: 'read', thing: 'Secret storage' }),
    fileError('EISDIR'),
    fileError('EACCES'),
    Object.assign(
      new Error("Unable to write file '/x' (Unknown (FileSystemError): Error: ENOSPC: no space left on device, write)"),
      { name: 'Unknown (FileSystemError)', code: 'Unknown' },
    ),
  ],
  internal: [bare('internal', 'There is no built-in server here.')],
  unexpected: [new TypeError('x is not a function'), new Error('')],
  refused: [...refusal(-32_000), ...refusal(-32_600), ...refusal(-32_700), ...refusal(42), ...refusal(0)],
  'refused-method': refusal(-32_601),
  'refused-arguments': refusal(-32_602),
  'refused-internal': refusal(-32_603),
  'refused-missing': refusal(-32_002),
  'refused-declined': refusal(-1),
  'refused-needs-visit': refusal(-32_042),
  'refused-capability': refusal(-32_021),
};

/** An internal error or a failure of a registry concerns no server. */
const ours: ReadonlySet<string> = new Set(['internal', 'unexpected', 'registry-failed']);

for (const [kind, errors] of Object.entries(samples)) {
  test(`[Y2] ${kind}: the text names the server and says what to do`, () => {
    assert.notEqual(errors.length, 0);
    for (const error of errors) {
      const text = failureMessage(error, { isWorkspaceTrusted: true, server: 'db' })?.text ?? '';
      if (!ours.has(kind)) assert.match(text, /\bdb\b/, text);
      const sentences = text.match(/[^\s][^.!?…]*[.!?…](?=\s|$)/gu) ?? [];
      assert.ok(sentences.length >= 2, `no next step: ${text}`);
      assert.doesNotMatch(text, /\[object|"\s*"|\.\.$|: \./, text);
      assertHarmless(text);
      assertHarmless(failureReason(error), 130);
    }
  });
}

describe('[L2] for any text of a server, the text stays harmless', () => {
  const evil = [
    '-32000',
    'Error: x\n    at f (/srv/app.js:1:2)\n    at g (/srv/app.js:3:4)',
    '\u001b]52;c;aGk=\u0007\u202e\u0000',
    'x'.repeat(1_000_000),
    '\n\n\n',
    '[a](command:quit)',
    'Error',
  ];
  for (const kind of Object.keys(failureTexts) as FailureClass[]) {
    test(kind, () => {
      for (const message of evil) {
        const error =
          samples[kind][0] instanceof ProtocolError
            ? new ProtocolError(samples[kind][0].code, message)
            : new HostError(kind as HostError['code'], message, {
                data: { stderr: [message], code: 1, command: message, method: message },
                hint: message,
              });
        const text = failureMessage(error, { isWorkspaceTrusted: true, server: `d\u001bb${message}` })?.text ?? '';
        assertHarmless(text);
        // A tree draws no links; a notification would.
        assert.doesNotMatch(text, /\]\(/);
        assertHarmless(failureReason(error), 130);
      }
    });
  }
});

function assertHarmless(text: string, maxLength = 1_600): void {
  assert.equal(countHidden(text), 0, text);
  assert.doesNotMatch(text, /[\n\r\t]/);
  assert.doesNotMatch(text, /^\s*-?\d*\s*$|^\s*at /);
  assert.ok(text.length <= maxLength, `${text.length} characters`);
}
