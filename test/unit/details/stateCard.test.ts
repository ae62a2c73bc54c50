import assert from 'node:assert/strict';
import { test } from 'node:test';
import { authError } from '../../../src/core/auth/authProblem.js';
import { HostError } from '../../../src/core/base/hostError.js';
import { stateCard } from '../../../src/core/details/stateCard.js';
import { hasFailed, serverDescription } from '../../../src/core/present/server/serverDescription.js';
import type { ViewParts } from '../../support/serverViews.js';
import { serverView } from '../../support/serverViews.js';

const card = (parts: ViewParts) => stateCard(serverView('acme', parts), (text) => text);
const failed = (error: Error): ViewParts => ({ state: { kind: 'failed', error, at: 0 } });

test('a crash shows its cause, the exit code, the lines that matter and how to set the missing variable', () => {
  const stderr = [
    'Error: ACME_KEY is not set',
    'Get one at https://acme.example/keys',
    '    at main (/opt/acme/index.js:12:9)',
    'Node.js v20.20.2',
  ];
  const shown = card({ ...failed(new HostError('exited', 'It ended.', { data: { code: 1, stderr } })), stderr });
  assert.deepEqual(shown, {
    kind: 'failed',
    cause: 'Error: ACME_KEY is not set',
    isQuote: true,
    what: 'The server "acme" exited with code 1.',
    next: 'Set ACME_KEY in the environment of the server, and then start the server again.',
    lines: ['Error: ACME_KEY is not set', 'Get one at https://acme.example/keys'],
    buttons: [
      { action: 'setSecret', label: 'Set ACME_KEY…' },
      { action: 'editServer', label: 'Edit Server…' },
      { action: 'showLog', label: 'Show Log' },
      { action: 'diagnoseServer', label: 'Diagnose' },
      { action: 'tryAgain', label: 'Try Again' },
    ],
  });
});

test('a refusal for lack of a key shows the words of the server as the cause', () => {
  const shown = card(
    failed(authError('no-metadata', { server: 'acme', said: 'Provide a key', keyHeader: 'X-Api-Key' })),
  );
  assert.deepEqual(
    [shown?.cause, shown?.what],
    ['Provide a key', 'The server "acme" refused the request (401) and does not publish where to sign in.'],
  );
  assert.deepEqual(
    shown?.buttons.slice(0, 3).map(({ label }) => label),
    ['Set API Key…', 'Sign In…', 'Diagnose'],
  );
});

test('a server that asks for an API key offers the key first, and its line quotes the request', () => {
  const error = authError('sign-in-needed', {
    server: 'acme',
    said: 'Provide a key in the X-Api-Key header',
    keyHeader: 'X-Api-Key',
  });
  const parts: ViewParts = {
    definition: { type: 'http', url: 'https://acme.example/mcp', headers: {} },
    state: { kind: 'needsSignIn', error },
    auth: { isPersonal: true, host: 'acme.example', state: { kind: 'signInNeeded', error } },
  };
  const shown = card(parts);
  assert.deepEqual(
    [shown?.cause, shown?.what, shown?.next, shown?.buttons[0]?.label],
    [
      'Provide a key in the X-Api-Key header',
      'The server "acme" requires credentials.',
      'Set the API key. MCP Deck sends it in the header "X-Api-Key".',
      'Set API Key…',
    ],
  );
  assert.equal(serverDescription(serverView('acme', parts), 0), 'Provide a key in the X-Api-Key header');
});

test('a start that may not end shows the cause with its buttons, and other starts show nothing', () => {
  const starting = (kind: 'login' | 'stderr'): ViewParts => ({
    state: { kind: 'starting', since: 0, attempt: 1, remark: { kind, quote: 'no API key' } },
  });
  assert.deepEqual(
    card(starting('login'))?.buttons.map(({ label }) => label),
    ['Set API Key…', 'Edit Server…', 'Show Log'],
  );
  assert.equal(card(starting('stderr')), undefined);
  assert.equal(card({}), undefined);
});

test('a built-in server has no file, so nothing is offered that edits one', () => {
  const shown = card({
    ...failed(new HostError('timeout', 'Late.')),
    definition: { type: 'builtin' },
    source: { id: 'builtin', kind: 'builtin', label: 'MCP Deck' },
  });
  assert.ok(!shown?.buttons.some(({ action }) => action === 'editServer'));
});

test('a server that asks for an API key counts as failed, however it was started', () => {
  const withKey = authError('no-metadata', { server: 'acme', said: 'Provide a key', keyHeader: 'X-Api-Key' });
  const signIn = authError('sign-in-needed', { server: 'acme', issuer: 'https://id.example' });
  assert.deepEqual(
    [
      hasFailed({ state: { kind: 'failed', error: withKey, at: 0 } }),
      hasFailed({ state: { kind: 'needsSignIn', error: withKey } }),
      hasFailed({ state: { kind: 'needsSignIn', error: signIn } }),
    ],
    [true, true, false],
  );
});
