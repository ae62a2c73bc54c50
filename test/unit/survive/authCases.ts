import assert from 'node:assert/strict';
import { systemClock } from '../../../src/core/base/clock.js';
import type { HostileCase } from './hostileTable.js';

/** The clock of the cases that advance time; the others use the system's clock. */
export const laterTime = {
  aheadMs: 0,
  now: () => systemClock.now() + laterTime.aheadMs,
  after: (ms: number, callback: () => void) => systemClock.after(ms, callback),
};

/** The documents that the host reads before it opens a browser. */
const looked = { 'server/discover': 1, 'resource metadata': 1 };
const found = { ...looked, 'issuer metadata': 1 };
const signedIn = { ...found, 'server/discover': 2, register: 1, authorize: 1, token: 1 };
const usual = {
  ...signedIn,
  initialize: 1,
  'notifications/initialized': 1,
  GET: 1,
  'tools/list': 1,
  'tools/call': 1,
  DELETE: 1,
};
const base = String.raw`http://127\.0\.0\.1:\d+`;
const seeTrace = String.raw`The sign-in trace shows each step\. The operator of the server can correct the problem\.`;

/** A sign-in that stops with one sentence, before a browser is opened. */
const stops = (mode: string, proves: string, says: string, journal: Record<string, number>): HostileCase => ({
  mode,
  proves,
  says: new RegExp(`^${says}$`),
  tree: new RegExp(`^\\(error\\) ${mode} {2}`),
  journal,
});
const works = (mode: string, proves: string, more: Partial<HostileCase> = {}): HostileCase => ({
  mode,
  proves,
  says: 'done',
  tree: `(circle-filled) ${mode}  http · 2 tools`,
  journal: usual,
  ...more,
});

export const authCases: HostileCase[] = [
  works('auth-ok', '[A7, A8, A10]', {
    check: ({ journal }) => {
      const of = (method: string) => journal().find((row) => row.method === method);
      const { query } = of('authorize') as unknown as { query: Record<string, string> };
      const form = new URLSearchParams(String(of('token')?.['form']));
      assert.deepEqual(
        [
          query['code_challenge_method'],
          (query['state'] ?? '').length >= 16,
          query['resource']?.endsWith('/auth-ok/mcp'),
        ],
        ['S256', true, true],
      );
      assert.equal(form.get('resource'), query['resource']);
    },
  }),
  stops(
    'auth-no-metadata',
    '[A3, A11]',
    'The server "auth-no-metadata" refused the request \\(401\\) and does not publish where to sign in\\. The response says: no\\. The server probably needs an API key. Set the API key\\.',
    looked,
  ),
  stops(
    'auth-metadata-html',
    '[A3]',
    `The sign-in information of auth-metadata-html at ${base}/\\S+ cannot be used: it is not a JSON object\\. ${seeTrace}`,
    looked,
  ),
  stops(
    'auth-metadata-shape',
    '[A3]',
    `The sign-in information of auth-metadata-shape at ${base}/\\S+ cannot be used: "resource" is missing\\. ${seeTrace}`,
    looked,
  ),
  stops(
    'auth-metadata-huge',
    '[A3, H8]',
    `The server "auth-metadata-huge": There is no usable response from ${base}/\\S+: it is larger than 1048576 bytes\\. Check the network and the proxy, and then try again\\.`,
    looked,
  ),
  // Addresses in a challenge that lead elsewhere are ignored: the document is requested from the server itself.
  works('auth-challenge-malformed', '[A3]'),
  works('auth-metadata-elsewhere', '[A4]'),
  works('auth-metadata-link-local', '[A4]'),
  stops(
    'auth-issuer-private',
    '[A4]',
    'The sign-in for auth-issuer-private leads to http://10\\.0\\.0\\.1/\\S+, which MCP Deck refused: http is allowed only if the server and the URL are on this machine\\. If the address is in your own network, add its host to "oauth\\.trustedHosts" in the configuration of the server\\. Otherwise, ask the operator of the server about the address\\.',
    looked,
  ),
  stops(
    'auth-javascript',
    '[A1, A2]',
    'The sign-in for auth-javascript leads to javascript:alert\\(1\\)//https://ok\\.example/authorize, which MCP Deck refused: the scheme "javascript:" is not http or https\\. If the address is in your own network, add its host to "oauth\\.trustedHosts" in the configuration of the server\\. Otherwise, ask the operator of the server about the address\\.',
    found,
  ),
  stops(
    'auth-issuer-mismatch',
    '[A6]',
    `The server "auth-issuer-mismatch": The document at ${base}/\\S+ describes the issuer "https://login\\.honest\\.example/tenant1" instead of ${base}/auth-issuer-mismatch/as, so it was not used\\. ${seeTrace}`,
    found,
  ),
  stops(
    'auth-no-pkce',
    '[A7]',
    `The server "auth-no-pkce": ${base}/auth-no-pkce/as does not offer PKCE with S256, so MCP Deck did not start a sign-in that could be intercepted\\. ${seeTrace}`,
    found,
  ),
  stops(
    'auth-resource-mismatch',
    '[A5]',
    `The server "auth-resource-mismatch" asks for tokens for another resource, https://api\\.bank\\.example/mcp\\. MCP Deck requested no token\\. ${seeTrace}`,
    looked,
  ),
  stops(
    'auth-401-loop',
    '[A11]',
    `The server "auth-401-loop" refuses the token that ${base}/auth-401-loop/as just issued\\. ${seeTrace}`,
    signedIn,
  ),
  works('auth-call-refused', '[A11, Y2]', {
    says: new RegExp(
      `^The server "auth-call-refused" requires you to sign in with ${base}/auth-call-refused/as\\. Select "Sign In…" for the server\\.$`,
    ),
    tree: /^\(account\) auth-call-refused {2}sign in to 127\.0\.0\.1:\d+$/,
  }),
  works('auth-refresh-fail', '[A11, A13, Y2]', {
    takesTime: true,
    act: async ({ start, call }) => {
      assert.equal(await start(), 'started');
      // A token that was refused immediately would not be refreshed at all.
      laterTime.aheadMs += 60_000;
      const [said, again] = await Promise.all([call(), call()]);
      assert.equal(again, said);
      return said;
    },
    says: new RegExp(
      `^The server "auth-refresh-fail" requires you to sign in with ${base}/auth-refresh-fail/as\\. Select "Sign In…" for the server\\.$`,
    ),
    tree: /^\(account\) auth-refresh-fail {2}sign in to 127\.0\.0\.1:\d+$/,
    // The issuer may have changed by then, so it is looked up again.
    journal: { ...usual, 'resource metadata': 2, 'issuer metadata': 2, 'tools/call': 2, token: 2 },
    check: ({ journal }) => {
      const grants = journal().flatMap(({ method, form }) =>
        method === 'token' ? [new URLSearchParams(String(form)).get('grant_type')] : [],
      );
      assert.deepEqual(grants, ['authorization_code', 'refresh_token'], 'both calls share one refresh');
    },
  }),
  stops(
    'auth-register-refused',
    '[A14]',
    `The server "auth-register-refused": ${base}/auth-register-refused/as did not register MCP Deck as a client: no \\\\u\\{1b\\}\\[31mlocalhost\\\\u\\{1b\\}\\[0m \\[info\\] forged log line \\(invalid_redirect_uri\\)\\. The message contains 2 hidden characters, shown here as \\\\u\\{…\\}\\. Get a client ID from the operator of the server, and enter it with "MCP Deck: Set OAuth Client ID…"\\.`,
    { ...found, register: 1 },
  ),
  stops(
    'auth-register-broken',
    '[A14]',
    `The server "auth-register-broken": ${base}/auth-register-broken/as did not register MCP Deck as a client: its response has status 500 and is not a JSON object\\. Get a client ID from the operator of the server, and enter it with "MCP Deck: Set OAuth Client ID…"\\.`,
    { ...found, register: 1 },
  ),
];
