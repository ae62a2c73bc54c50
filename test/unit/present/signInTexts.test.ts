import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { authError } from '../../../src/core/auth/authProblem.js';
import { SignInTrace } from '../../../src/core/auth/signInTrace.js';
import type { AccountInfo } from '../../../src/core/auth/serverRecord.js';
import type { ServerAuth } from '../../../src/core/catalog/hostTypes.js';
import { accountDetail, accountName } from '../../../src/core/present/text/accountText.js';
import { drawNodes } from '../../../src/core/present/tree/treeNode.js';
import { failureMessage, failureReason } from '../../../src/core/present/failure/failureText.js';
import { rootNodes } from '../../../src/core/present/tree/serverNodes.js';
import { serverTooltip } from '../../../src/core/present/tree/serverTooltip.js';
import { signInPermissions, signInQuestion } from '../../../src/core/present/questions/signInQuestion.js';
import { signInDocument, stepLine } from '../../../src/core/present/questions/signInSteps.js';
import { serverView } from '../../support/serverViews.js';

const account: AccountInfo = {
  server: 'https://mcp.example/mcp',
  serverName: 'vault',
  issuer: 'https://login.example',
  account: 'default',
  label: 'ada@example.com',
  scopes: ['files:read', 'offline_access'],
  expiresAt: 3_600_000,
  canRefresh: true,
  isSelected: true,
};
const needed = authError('sign-in-needed', { server: 'vault' });
const auth = (state: ServerAuth['state'], isPersonal = true): ServerAuth => ({
  state,
  host: 'mcp.example',
  isPersonal,
});
const definition = { type: 'http' as const, url: 'https://mcp.example/mcp', headers: {} };

test('[A2] the question names the server, the host, the issuer and every scope', () => {
  const { message, detail } = signInQuestion({
    serverName: 'vault',
    host: 'login.example',
    issuer: 'https://login.example/t',
    scopes: ['a', 'b'],
    isStepUp: false,
  });
  assert.equal(message, '"vault" asks you to sign in. Continue at login.example?');
  assert.equal(
    detail,
    [
      'The browser opens\n\u00a0\u00a0\u00a0\u00a0login.example',
      'You sign in with\n\u00a0\u00a0\u00a0\u00a0https://login.example/t',
      'The requested permissions are\n\u00a0\u00a0\u00a0\u00a0a\n\u00a0\u00a0\u00a0\u00a0b',
      'Continue only if you know this host and want "vault" to act for you there.',
    ].join('\n\n'),
  );
});

test('[A14] in the question hidden characters are visible, and the number of scopes is limited', () => {
  const scopes = Array.from({ length: 100 }, (_, index) => `s${index}\u202E`);
  const { detail } = signInQuestion({
    serverName: 'vault',
    host: 'h',
    issuer: 'i\n\nThe requested permissions are nothing',
    scopes,
    isStepUp: true,
  });
  assert.ok(detail.includes('and 70 more') && !detail.includes('\u202E') && !detail.includes('i\n\nIt'), detail);
});

describe('[A2] scopes that the question cannot show in full', () => {
  const ask = (scopes: string[]) =>
    ({ serverName: 'vault', host: 'login.example', issuer: 'https://login.example', scopes, isStepUp: true }) as const;
  const many = [...Array.from({ length: 30 }, (_, index) => `read:thing${index}`), 'admin:org', 'delete_repo'];
  const long = 'a'.repeat(120);

  test('are named as not shown, and the document has every one of them in full', () => {
    for (const scopes of [many, [`${long}:read`, `${long}:admin`], [`${long}\u202e${'b'.repeat(9_000)}:admin`]]) {
      const request = ask(scopes);
      assert.equal(signInQuestion(request).isCut, true);
      const lines = signInPermissions(request)
        .split('\n')
        .map((line) => line.trim());
      for (const scope of scopes) assert.ok(lines.includes(scope.replace('\u202e', '\\u{202e}')), scope);
      assert.ok(lines.includes('login.example') && lines.includes('https://login.example'));
      assert.match(signInQuestion(request).detail, /Show All Permissions/);
    }
  });

  test('are none where the dialog shows every one of them', () => {
    for (const scopes of [[], many.slice(0, 30), [long]]) assert.equal(signInQuestion(ask(scopes)).isCut, false);
  });
});

test('a server that waits for a sign-in shows the host and what to do', () => {
  const views = [
    serverView('vault', {
      definition,
      state: { kind: 'needsSignIn', error: needed },
      auth: auth({ kind: 'signInNeeded', error: needed }),
    }),
    serverView('open', { definition, state: { kind: 'needsSignIn', error: needed } }),
    serverView('busy', {
      definition,
      state: { kind: 'starting', since: 0, attempt: 1 },
      auth: auth({ kind: 'signingIn' }),
    }),
    serverView('lost', { definition, features: {}, auth: auth({ kind: 'signInNeeded', error: needed }) }),
    serverView('fine', { definition, features: {}, auth: auth({ kind: 'signedIn', account }) }),
  ];
  const lines = drawNodes(rootNodes({ servers: views, broken: [] }, 0)).split('\n');
  assert.deepEqual(
    lines.filter((line) => !line.startsWith(' ')),
    [
      '(account) vault  sign in to mcp.example',
      '(account) open  needs a sign-in',
      '(loading~spin) busy  waiting for your sign-in at mcp.example',
      '(account) lost  sign in to mcp.example',
      '(circle-filled) fine  stdio · offers nothing',
    ],
  );
  assert.match(lines.join('\n'), /The server "vault" requires you to sign in\.\n.*Select "Sign In…" for the server\./);
});

test('a refused API key is named as such in the tree, whatever the server lacks', () => {
  for (const problem of ['header-refused', 'no-sign-in', 'no-metadata'] as const)
    assert.equal(
      failureReason(authError(problem, { server: 'vault', sentHeader: 'X-Api-Key' })),
      'refused the API key (401)',
      problem,
    );
  assert.equal(
    failureReason(authError('header-refused', { server: 'vault', sentHeader: 'Authorization' })),
    'refused the configured Authorization header (401)',
  );
});

test('the tooltip shows account, issuer, scopes and expiry', () => {
  const tooltip = serverTooltip(
    serverView('vault', { definition, features: {}, auth: auth({ kind: 'signedIn', account }) }),
    0,
  );
  assert.match(tooltip, /Signed in as: ada\\@example\\.com/);
  assert.match(tooltip, /Issuer: `https:\/\/login\.example`/);
  assert.match(tooltip, /Access: scopes files\\:read offline\\_access · renewed automatically\\, next within 1 h/);
});

test('an account without a name is shown, and so is each kind of expiry', () => {
  assert.deepEqual(
    [accountName({ ...account, label: undefined }), accountName({ ...account, label: undefined, account: 'work' })],
    ['default account', 'work'],
  );
  const detail = (part: Partial<AccountInfo>) =>
    accountDetail({ ...account, scopes: [], ...part }, 0)
      .split(' · ')
      .at(-1);
  assert.deepEqual(
    [
      detail({ canRefresh: false }),
      detail({ canRefresh: false, expiresAt: undefined }),
      detail({ canRefresh: false, expiresAt: -1 }),
      detail({ expiresAt: -1 }),
    ],
    ['expires in 1 h', 'valid until the server refuses it', 'expired', 'renewed when needed'],
  );
});

test('a failed sign-in offers a retry and the trace; a configured sign-in offers the configuration', () => {
  const actions = (problem: Parameters<typeof authError>[0]) =>
    failureMessage(authError(problem, { server: 'vault' }), { isWorkspaceTrusted: true })?.actions;
  assert.deepEqual(actions('sign-in-needed'), ['signIn']);
  assert.deepEqual(actions('sign-in-refused'), ['signIn', 'showSignInTrace']);
  assert.deepEqual(actions('header-refused'), ['replaceSecret', 'editServer', 'openConfiguration']);
});

test('[S2] [A14] the trace shows each step, masked, and external text cannot leave its block', () => {
  const trace = new SignInTrace('vault', () => 0);
  trace.add('token', {
    request: 'POST https://login.example/token',
    status: 400,
    sent: { grant_type: 'refresh_token', refresh_token: 'secret-value' },
    received: '```\n# [click](command:x)',
  });
  trace.stop(new Error('It was refused.'));
  const text = signInDocument('vault', [trace]);
  assert.ok(!text.includes('secret-value'));
  assert.match(text, /### 1\. Token request\n\n```\nPOST https:\/\/login\.example\/token\nstatus 400/);
  assert.match(text, /````\n```\n# \[click\]\(command:x\)\n````/);
  assert.match(text, /### 2\. Stopped here\n\n```\nafter 0 ms\n```\n\n```\nIt was refused\.\n```/);
  assert.deepEqual(trace.steps.map(stepLine), [
    'sign-in · token · POST https://login.example/token · 400',
    'sign-in · stopped · It was refused.',
  ]);
  assert.match(signInDocument('vault', []), /no sign-in and no token request in this window/);
});
