import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { masked, SignInTrace } from '../../../src/core/auth/signInTrace.js';

test('[S2] secrets keep only their length', () => {
  assert.deepEqual(
    masked({
      access_token: 'abc',
      token_type: 'Bearer',
      refresh_token: 'abcd',
      expires_in: 5,
      client_id: 'c',
      client_secret: 'hush',
      code: 'x',
      code_verifier: 'y',
      code_challenge: 'z',
      client_assertion: 'j',
      assertion: 'k',
      subject_token: 'l',
      requested_token_type: 'm',
      state: 's',
      scope: 'a b',
    }),
    {
      access_token: '•••• (3 characters)',
      token_type: 'Bearer',
      refresh_token: '•••• (4 characters)',
      expires_in: 5,
      client_id: 'c',
      client_secret: '•••• (4 characters)',
      code: '•••• (1 characters)',
      code_verifier: '•••• (1 characters)',
      code_challenge: 'z',
      client_assertion: '•••• (1 characters)',
      assertion: '•••• (1 characters)',
      subject_token: '•••• (1 characters)',
      requested_token_type: 'm',
      state: '•••• (1 characters)',
      scope: 'a b',
    },
  );
  assert.equal(masked('got eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln-_ from them'), 'got •••• from them');
  assert.equal(
    masked('https://a.example/cb?code=hush&x=1&state=hush#access_token=hush'),
    'https://a.example/cb?code=••••&x=1&state=••••#access_token=••••',
  );
});

test('[S2] no secret remains anywhere in an answer', () => {
  const names = fc.constantFrom(
    'access_token',
    'refresh_token',
    'id_token',
    'client_secret',
    'registration_access_token',
    'code',
    'code_verifier',
    'assertion',
    'Authorization',
    'DPoP',
  );
  const nested = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constant('SECRET'),
      fc.array(tie('value')),
      fc.dictionary(names, tie('value')),
    ),
  })).value;
  fc.assert(
    fc.property(fc.dictionary(names, nested), (document) =>
      assert.ok(!JSON.stringify(masked(document)).includes('SECRET')),
    ),
  );
});

test('[A14] external text is limited, and its hidden characters are visible', () => {
  const shown = masked({
    error_description: `\u001b[31m\u202e${'x'.repeat(10_000)}`,
    '\u202ekey': 1,
    list: Array.from({ length: 1000 }, () => 1),
    deep: JSON.parse('['.repeat(50) + ']'.repeat(50)),
  }) as Record<string, unknown>;
  assert.match(String(shown['error_description']), /^\\u\{1b\}\[31m\\u\{202e\}x+… \(\d+ more characters\)$/);
  assert.ok('\\u{202e}key' in shown);
  assert.ok(JSON.stringify(shown).length < 5_000);
});

test('steps are reported as they happen, up to a hundred', () => {
  const trace = new SignInTrace('github', () => 7);
  const seen: string[] = [];
  trace.onDidAdd(({ kind }) => seen.push(kind));
  trace.add('challenge', { note: 'n' });
  trace.stop(new Error('why'));
  assert.deepEqual(trace.steps, [
    { at: 7, kind: 'challenge', note: 'n' },
    { at: 7, kind: 'stopped', note: 'why' },
  ]);
  assert.deepEqual(seen, ['challenge', 'stopped']);
  for (let i = 0; i < 200; i++) trace.add('token');
  assert.equal(trace.steps.length, 100);
});

test('[S2] a secret that an issuer repeats in another text is masked, also when it was sent in a header', () => {
  const trace = new SignInTrace('vault');
  trace.hide('client-secret-77');
  trace.add('token', {
    request: 'POST https://id.example/token',
    sent: 'grant_type=refresh_token&refresh_token=rt-0123%2F456789&scope=files',
    received: {
      error: 'invalid_grant',
      error_description: 'rt-0123/456789 of client-secret-77 is gone',
      code: 'invalid_grant',
    },
  });
  trace.add('token', { received: { access_token: 'at-987654321' } });
  trace.stop(new Error('The token at-987654321 and the error invalid_grant'));
  const shown = JSON.stringify(trace.steps);
  for (const secret of ['rt-0123', '456789', 'client-secret-77', 'at-987654321'])
    assert.ok(!shown.includes(secret), shown);
  assert.match(shown, /"error":"invalid_grant","error_description":"••• of ••• is gone"/);
  assert.match(shown, /The token ••• and the error invalid_grant/);
});

test('[A14] a document with very many values is replaced by a note, and a long text keeps its beginning', () => {
  const trace = new SignInTrace('s');
  const rows = Array.from({ length: 60 }, () => Array.from({ length: 60 }, () => [{}, {}]));
  trace.add('token', { status: 200, sent: { scope: 'a' }, received: { rows } });
  trace.add('token', { received: 'x'.repeat(1_000_000) });
  const [document, text] = trace.steps;
  assert.deepEqual([document?.status, document?.sent, document?.received], [200, { scope: 'a' }, '(too large)']);
  assert.match(String(text?.received), /^x{2000}/);
});
