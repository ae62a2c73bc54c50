/** The doctor's checks of sign-ins: the account and its expiry, missing sign-ins, and the address of a sign-in. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Diagnosis } from '../../../src/core/doctor/doctor.js';
import type { AuthServer, Behaviour } from '../../support/authServer.js';
import { json } from '../../support/authServer.js';
import { MemorySecrets } from '../../support/memorySecrets.js';
import { startProtectedServer } from '../../support/protectedMcp.js';
import type { SignInHostOptions } from '../../support/signInHost.js';
import { signInHost } from '../../support/signInHost.js';
import { assertIs, checkOf, diagnoseAt } from './diagnosing.js';

interface Scene {
  behaviour?: Partial<Behaviour>;
  entry?: Record<string, unknown>;
  /** Signs in before, in another window; false: there was never a sign-in. */
  isSignedIn?: boolean;
  /** The tokens expired an hour ago. */
  isExpired?: boolean;
  /** Runs after that. */
  meanwhile?: (server: AuthServer) => unknown;
  options?: Partial<SignInHostOptions>;
}

/**
 * Diagnoses a protected server. The result may contain no token and no other data of the sign-in, and no browser opens.
 */
async function diagnosisOf({
  behaviour,
  entry = {},
  isSignedIn = false,
  isExpired = false,
  meanwhile,
  options = {},
}: Scene): Promise<{ diagnosis: Diagnosis; issuer: string; origin: string }> {
  const server = await startProtectedServer({ wantedScopes: [], ...behaviour });
  const secrets = new MemorySecrets();
  const servers = { sick: { type: 'http', url: server.url, ...entry } };
  try {
    if (isSignedIn) {
      const { host } = signInHost({ servers, secrets });
      await host.open();
      await host.signIns.signIn('sick');
      await host.close();
    }
    if (isExpired) expire(secrets);
    meanwhile?.(server);
    const tokens = [...server.accessTokens.keys(), ...server.refreshTokens.keys()];
    const { host, browser } = signInHost({ servers, secrets, ...options });
    await host.open();
    const diagnosis = await diagnoseAt(host, { stepMs: 20_000 }).finally(() => host.close());
    const text = JSON.stringify(diagnosis);
    for (const token of [...tokens, ...server.accessTokens.keys(), ...server.refreshTokens.keys()])
      assert.ok(!text.includes(token), text);
    assert.deepEqual(browser.shown, []);
    return { diagnosis, issuer: server.issuer, origin: server.origin };
  } finally {
    await server.stop();
  }
}

function expire(secrets: MemorySecrets): void {
  const hour = 3_600_000;
  for (const [key, value] of secrets.values) {
    if (value.includes('"expiresAt"'))
      secrets.values.set(
        key,
        value
          .replace(/"expiresAt":\d+/g, `"expiresAt":${Date.now() - hour}`)
          .replace(/"obtainedAt":\d+/g, `"obtainedAt":${Date.now() - 2 * hour}`),
      );
  }
}

const notFound: Behaviour['resourceMetadata'] = () => undefined;
const failures = ({ checks }: Diagnosis) => checks.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id);

describe('the doctor reports problems of sign-ins', { concurrency: 8 }, () => {
  test('a signed-in user works, and the account and expiry are shown', async () => {
    const { diagnosis, issuer } = await diagnosisOf({ isSignedIn: true, entry: { oauth: { account: 'ada' } } });
    assert.deepEqual(failures(diagnosis), []);
    assert.match(checkOf(diagnosis, 'http').seen, /status 200/);
    assert.match(
      checkOf(diagnosis, 'sign-in').seen,
      new RegExp(
        `^You are signed in as "ada" at ${issuer}, until \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d UTC, renewed automatically\\.$`,
      ),
    );
    assert.equal(checkOf(diagnosis, 'handshake').outcome, 'ok');
  });

  test('a user who is not signed in is told where and how to sign in', async () => {
    const { diagnosis, issuer } = await diagnosisOf({});
    assertIs(
      diagnosis,
      'sign-in',
      new RegExp(`requires a sign-in at ${issuer}\. You are not signed in`),
      /Run "MCP Deck: Sign In…"/,
    );
    assert.match(checkOf(diagnosis, 'http').seen, /requires a sign-in \(status 401\)/);
    assert.deepEqual(failures(diagnosis), ['sign-in', 'handshake']);
  });

  test('metadata that only the root has is found', async () => {
    let issuer = '';
    const { diagnosis } = await diagnosisOf({
      behaviour: {
        challenge: () => 'Bearer',
        resourceMetadata: notFound,
        intercept: ({ at, path }, response) => {
          if (at !== 'server' || path !== '/.well-known/oauth-protected-resource') return false;
          json(response, {
            resource: (issuerOf.get('root') as AuthServer).origin,
            authorization_servers: [(issuer = (issuerOf.get('root') as AuthServer).issuer)],
          });
          return true;
        },
      },
      meanwhile: (server) => issuerOf.set('root', server),
    });
    assertIs(diagnosis, 'sign-in', new RegExp(`requires a sign-in at ${issuer}\\. You are not signed in`), /Sign In/);
    assert.notEqual(issuer, '');
  });

  test('an older server is its own issuer', async () => {
    const { diagnosis, origin } = await diagnosisOf({
      behaviour: {
        challenge: () => undefined,
        resourceMetadata: notFound,
        intercept: ({ at, path }, response) => {
          if (at !== 'server' || path !== '/.well-known/oauth-authorization-server') return false;
          const { origin } = issuerOf.get('old') as AuthServer;
          json(response, {
            issuer: origin,
            authorization_endpoint: `${origin}/authorize`,
            token_endpoint: `${origin}/token`,
          });
          return true;
        },
      },
      meanwhile: (old) => issuerOf.set('old', old),
    });
    assertIs(diagnosis, 'sign-in', new RegExp(`requires a sign-in at ${origin}\\. You are not signed in`), /Sign In/);
  });

  test('a server that does not publish its issuer', async () => {
    const { diagnosis } = await diagnosisOf({ behaviour: { challenge: () => 'Bearer', resourceMetadata: notFound } });
    assertIs(
      diagnosis,
      'sign-in',
      /publishes no OAuth metadata/,
      /Add a token to "headers".*or run "MCP Deck: Sign In…"/,
    );
  });

  test('metadata of another server is not used', async () => {
    const { diagnosis } = await diagnosisOf({
      behaviour: { resourceMetadata: (document) => ({ ...document, resource: 'https://else.example/mcp' }) },
    });
    assertIs(
      diagnosis,
      'sign-in',
      /asks for tokens for another resource, https:\/\/else\.example\/mcp/,
      /operator of the server/,
    );
  });

  test('metadata that points to another host is not followed on this machine', async () => {
    const { diagnosis } = await diagnosisOf({
      behaviour: {
        challenge: () => 'Bearer resource_metadata="http://169.254.169.254/latest"',
        resourceMetadata: (document) => ({ ...document, authorization_servers: ['http://169.254.169.254'] }),
      },
    });
    assertIs(
      diagnosis,
      'sign-in',
      /leads to http:\/\/169\.254\.169\.254\S*, which MCP Deck refused/,
      /ask the operator of the server about the address/,
    );
  });

  test('an expired sign-in that can be refreshed is refreshed, and works', async () => {
    const { diagnosis } = await diagnosisOf({ isSignedIn: true, isExpired: true });
    assert.deepEqual(failures(diagnosis), []);
    assert.match(checkOf(diagnosis, 'sign-in').seen, /until .*The sign-in had expired and was just renewed\.$/);
    assert.equal(checkOf(diagnosis, 'handshake').outcome, 'ok');
  });

  test('an expired sign-in that cannot be refreshed', async () => {
    const { diagnosis } = await diagnosisOf({
      behaviour: { givesRefreshTokens: false },
      isSignedIn: true,
      isExpired: true,
      meanwhile: (server) => server.forgetAccessTokens(),
    });
    assertIs(
      diagnosis,
      'sign-in',
      /Your sign-in at http:\S+ expired at \d{4}-.* UTC and cannot be renewed\. The server does not accept the sign-in \(status 401\)/,
      /Run "MCP Deck: Sign In…"/,
    );
  });

  test('a sign-in that cannot be refreshed now', async () => {
    const { diagnosis } = await diagnosisOf({
      isSignedIn: true,
      isExpired: true,
      meanwhile: ({ behaviour }) => {
        behaviour.intercept = ({ path }, response) => {
          if (path === '/token') response.destroy();
          return path === '/token';
        };
      },
    });
    assertIs(
      diagnosis,
      'sign-in',
      /Your sign-in .* expired .*could not be renewed: .*no usable response from \S+\/token/,
      /Check the network and the proxy/,
    );
    assert.equal(checkOf(diagnosis, 'http').outcome, 'skipped');
  });

  test('a token that the server no longer accepts', async () => {
    const { diagnosis } = await diagnosisOf({
      behaviour: { givesRefreshTokens: false },
      isSignedIn: true,
      meanwhile: (server) => server.forgetAccessTokens(),
    });
    assertIs(
      diagnosis,
      'sign-in',
      /You are signed in at .*The server does not accept the sign-in \(status 401\)/,
      /Sign In/,
    );
  });

  test('missing permissions', async () => {
    const { diagnosis } = await diagnosisOf({
      isSignedIn: true,
      meanwhile: ({ behaviour }) => (behaviour.wantedScopes = ['files:read', 'files:write']),
    });
    assertIs(diagnosis, 'sign-in', /requires additional permissions for this request: .*files:write/, /Sign In/);
  });

  test('an Authorization header that is refused', async () => {
    const { diagnosis } = await diagnosisOf({ entry: { headers: { Authorization: 'Bearer stale-stale-stale' } } });
    assertIs(
      diagnosis,
      'sign-in',
      /refuses the "Authorization" header of the configuration \(status 401\)/,
      /Renew the token in "headers"/,
    );
    assert.doesNotMatch(JSON.stringify(diagnosis), /stale-stale/);
  });

  test('a configuration without a sign-in', async () => {
    const { diagnosis } = await diagnosisOf({ entry: { oauth: false } });
    assertIs(diagnosis, 'sign-in', /"oauth": false/, /Remove "oauth": false/);
  });

  test('a token without a user', async () => {
    const { diagnosis } = await diagnosisOf({
      behaviour: {},
      entry: { oauth: { grant: 'client-credentials', clientId: 'robot', clientSecret: 'robot-secret' } },
      meanwhile: (server) => server.clients.set('robot', { secret: 'robot-secret', redirectUris: [] }),
    });
    assert.deepEqual(failures(diagnosis), []);
    assert.match(
      checkOf(diagnosis, 'sign-in').seen,
      /token that was requested without a user \("client-credentials"\)/,
    );
  });

  test('a client that is refused a token', async () => {
    const { diagnosis } = await diagnosisOf({
      entry: { oauth: { grant: 'client-credentials', clientId: 'robot', clientSecret: 'wrong-secret' } },
    });
    assertIs(
      diagnosis,
      'sign-in',
      /without a user \("client-credentials"\)\. The request failed\. .*issued no token/,
      /configured credentials/,
    );
  });
});

/** The authorization server of each URL. */
const issuerOf = new Map<string, AuthServer>();
