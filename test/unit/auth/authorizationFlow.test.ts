import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Flow } from '../../../src/core/auth/authHttp.js';
import { AuthHttp } from '../../../src/core/auth/authHttp.js';
import { authorizationUrl, chooseScopes, readAnswer, requirePkce } from '../../../src/core/auth/authorizationFlow.js';
import { problemOf } from '../../../src/core/auth/authProblem.js';
import type { IssuerMetadata } from '../../../src/core/auth/discovery.js';
import { SignInTrace } from '../../../src/core/auth/signInTrace.js';

const issuer: IssuerMetadata = { issuer: 'https://as.example', token_endpoint: 'https://as.example/token' };

function newFlow(): Flow {
  return {
    server: 'github',
    http: new AuthHttp(new URL('https://s.example/mcp')),
    trace: new SignInTrace('github'),
    now: Date.now,
    signal: undefined,
  };
}

suite('the requested scopes', () => {
  const table: [name: string, choice: Parameters<typeof chooseScopes>[0], expected: string[]][] = [
    ['those of the challenge', { challenged: ['a'], configured: ['b'], ofServer: ['c'] }, ['a']],
    ['else the configured ones', { configured: ['b'], ofServer: ['c'] }, ['b']],
    ['else those of the server', { ofServer: ['c'], ofIssuer: ['d'] }, ['c']],
    ['else none', { ofIssuer: ['d'] }, []],
    ['with those requested before', { challenged: ['b', 'a'], before: ['a', 'x'] }, ['a', 'x', 'b']],
    [
      'offline_access when the issuer knows it',
      { challenged: ['a'], ofIssuer: ['offline_access', 'z'] },
      ['a', 'offline_access'],
    ],
    [
      'offline_access never when it does not',
      { ofServer: ['c', 'offline_access'], before: ['offline_access'], ofIssuer: ['c'] },
      ['c'],
    ],
    ['an empty challenge requests no scopes', { challenged: [], ofServer: ['c'] }, []],
  ];
  for (const [name, choice, expected] of table)
    test(`[A12] ${name}`, () => assert.deepEqual(chooseScopes(choice), expected));
});

suite('[A7] PKCE with S256 must be advertised', () => {
  for (const methods of [undefined, [], ['plain']]) {
    test(`${String(methods)}: refused`, () => {
      assert.throws(
        () =>
          requirePkce(newFlow(), {
            issuer: { ...issuer, code_challenge_methods_supported: methods },
            isFallback: false,
          }),
        (error: unknown) => problemOf(error) === 'no-pkce',
      );
    });
  }
  test('S256: accepted', () =>
    requirePkce(newFlow(), {
      issuer: { ...issuer, code_challenge_methods_supported: ['plain', 'S256'] },
      isFallback: false,
    }));
  test('default endpoints of 2025-03-26 advertise nothing: accepted', () =>
    requirePkce(newFlow(), { issuer, isFallback: true }));
});

suite('[A9] the issuer of an answer (RFC 9207)', () => {
  const table: [name: string, advertised: boolean | undefined, iss: string | undefined, expected: string][] = [
    ['advertised and right', true, 'https://as.example', 'ok'],
    ['advertised and absent', true, undefined, 'answer-refused'],
    ['advertised and wrong', true, 'https://evil.example', 'answer-refused'],
    ['not advertised and absent', undefined, undefined, 'ok'],
    ['declared unsupported and absent', false, undefined, 'ok'],
    ['not advertised and correct', undefined, 'https://as.example', 'ok'],
    ['not advertised and wrong', undefined, 'https://evil.example', 'answer-refused'],
    ['equal only after normalization', true, 'https://as.example/', 'answer-refused'],
    ['in other case', true, 'https://AS.example', 'answer-refused'],
  ];
  for (const [name, advertised, iss, expected] of table) {
    test(name, () => {
      const answer = new URLSearchParams({ code: 'c', state: 's', ...(iss !== undefined && { iss }) });
      const read = () =>
        readAnswer(
          newFlow(),
          { ...issuer, authorization_response_iss_parameter_supported: advertised },
          'client',
          answer,
          's',
        );
      if (expected === 'ok') assert.equal(read().get('code'), 'c');
      else assert.throws(read, (error: unknown) => problemOf(error) === expected);
    });
  }

  test('an answer that has a parameter twice is refused', () => {
    for (const [name, value] of [
      ['iss', 'https://evil.example'],
      ['iss', 'https://as.example'],
      ['state', 's'],
      ['state', 'x'],
    ] as const) {
      const answer = new URLSearchParams({ code: 'c', state: 's', iss: 'https://as.example' });
      answer.append(name, value);
      assert.throws(
        () => readAnswer(newFlow(), issuer, 'client', answer, 's'),
        (error: unknown) => problemOf(error) === 'answer-refused',
        `${name}=${value}`,
      );
    }
  });

  test('an error from a wrong issuer is neither shown nor traced', () => {
    const flow = newFlow();
    const answer = new URLSearchParams({
      state: 's',
      iss: 'https://evil.example',
      error: 'access_denied',
      error_description: 'Call 555-EVIL',
    });
    assert.throws(
      () => readAnswer(flow, issuer, 'client', answer, 's'),
      (error: unknown) =>
        problemOf(error) === 'answer-refused' &&
        !(error as Error).message.includes('555-EVIL') &&
        !(error as Error).message.includes('denied'),
    );
    assert.ok(!JSON.stringify(flow.trace.steps).includes('555-EVIL'));
  });
});

suite('answers of the issuer', () => {
  const refusals: [name: string, params: Record<string, string>, problem: string, message: RegExp][] = [
    [
      'the message of the correct issuer is shown, sanitized',
      { state: 's', error: 'access_denied', error_description: 'no\u202e way' },
      'sign-in-refused',
      /refused the sign-in: no\\u\{202e\} way \(access_denied\)\.$/,
    ],
    [
      'long texts are cut',
      { state: 's', error: 'x', error_description: 'y'.repeat(5000) },
      'sign-in-refused',
      /more characters/,
    ],
    ['another state', { state: 't', code: 'c' }, 'answer-refused', /state/],
    ['no state', { code: 'c' }, 'answer-refused', /state/],
    ['no code', { state: 's' }, 'answer-refused', /no code/],
  ];
  for (const [name, params, problem, message] of refusals) {
    test(`[A8, A14] ${name}`, () => {
      assert.throws(
        () => readAnswer(newFlow(), issuer, 'client', new URLSearchParams(params), 's'),
        (error: unknown) => {
          assert.equal(problemOf(error), problem);
          assert.match((error as Error).message, message);
          return true;
        },
      );
    });
  }

  test('[A9] a parameter that occurs twice is refused', () => {
    assert.throws(
      () => readAnswer(newFlow(), issuer, 'client', new URLSearchParams('code=c&state=s&state=s'), 's'),
      (error: unknown) => problemOf(error) === 'answer-refused',
    );
  });
});

test('the authorization URL keeps the parameters of its endpoint and leaves out empty ones', () => {
  const url = authorizationUrl('https://as.example/a?tenant=1', {
    client_id: 'a b',
    scope: '',
    prompt: undefined,
    resource: 'https://s.example/mcp',
  });
  assert.equal(url.href, 'https://as.example/a?tenant=1&client_id=a+b&resource=https%3A%2F%2Fs.example%2Fmcp');
});

test('[A2, A10] parameters of the endpoint that decide what is requested are removed, so the question shows all scopes', () => {
  const hostile = [
    'scope=admin:everything',
    'Scope=delete:all',
    'prompt=none',
    'request_uri=urn:x',
    'request=eyJ',
    'claims=%7B%7D',
    'authorization_details=%5B%5D',
    'resource=https://other.example',
    'redirect_uri=https://other.example',
    'state=mine',
    'response_mode=form_post',
    'client_id=other',
  ].join('&');
  const url = authorizationUrl(`https://as.example/a?p=B2C_1&${hostile}`, { client_id: 'a', scope: '', state: 's' });
  assert.equal(url.search, '?p=B2C_1&client_id=a&state=s');
});
