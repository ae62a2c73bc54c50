import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { afterEach, suite, test } from 'node:test';
import { problemOf } from '../../../src/core/auth/authProblem.js';
import { readSigningKey } from '../../../src/core/auth/jwtSigner.js';
import type { MachineGrant } from '../../../src/core/auth/machineGrant.js';
import { call, openWindow } from '../../support/authClient.js';
import type { Behaviour } from '../../support/authServer.js';
import { AuthServer, json } from '../../support/authServer.js';
import { steppedTime } from '../../support/steppedTime.js';

const ec = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});
const rsa = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});

suite('tokens without a user', () => {
  let servers: AuthServer;
  afterEach(() => servers.stop());

  async function start(machine: (servers: AuthServer) => MachineGrant, behaviour: Partial<Behaviour> = {}) {
    servers = await AuthServer.start({ wantedScopes: [], ...behaviour });
    servers.clients.set('robot', { secret: 'hush', redirectUris: [] });
    const { now, clock, pass } = steppedTime();
    servers.time = now;
    const window = openWindow({ serverUrl: servers.url, machine: machine(servers), now, clock });
    return { ...window, pass };
  }

  const credentials = (): MachineGrant => ({
    kind: 'client-credentials',
    client: { clientId: 'robot', clientSecret: 'hush' },
  });

  test('client credentials with a secret give a token in the background, without a stored secret or a question', async () => {
    const { authorizer, browser, secrets } = await start(credentials);
    assert.equal(await call(authorizer, servers.url), 200);
    assert.deepEqual(
      [
        browser.shown.length,
        [...secrets.values.values()].filter((text) => text.includes('hush') || text.includes('ccess')),
      ],
      [0, []],
    );
    const [request] = servers.grants('client_credentials');
    assert.deepEqual(
      [request?.form['resource'], request?.headers.authorization?.startsWith('Basic ')],
      [servers.url, true],
    );
    assert.equal(authorizer.state.kind, 'signedIn');
  });

  test('[A12] without a configured issuer, nothing is sent to an issuer other than the first', async () => {
    const { authorizer, store } = await start(credentials);
    await store.update(
      servers.url,
      (record) => (record.bound = { clientId: 'client-credentials robot', issuer: 'https://first.example' }),
    );
    await assert.rejects(call(authorizer, servers.url), (error: unknown) => problemOf(error) === 'client-moved');
    assert.equal(servers.requests('/token').length, 0);
  });

  for (const [alg, pair] of [
    ['ES256', ec],
    ['RS256', rsa],
  ] as const) {
    test(`client credentials with private_key_jwt, ${alg}`, async () => {
      const { authorizer } = await start(
        () => ({
          kind: 'client-credentials',
          client: { clientId: 'robot', clientSecret: 'unused', privateKey: { pem: pair.privateKey, kid: 'k1' } },
        }),
        { clockAheadMs: 7_200_000 },
      );
      assert.equal(await call(authorizer, servers.url), 200);
      const form = servers.grants('client_credentials')[0]?.form ?? {};
      const [header = '', claims = '', signature = ''] = (form['client_assertion'] ?? '').split('.');
      const decode = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
      assert.deepEqual(decode(header), { alg, kid: 'k1', typ: 'JWT' });
      assert.ok(
        verify(
          'sha256',
          Buffer.from(`${header}.${claims}`),
          { key: createPublicKey(pair.publicKey), dsaEncoding: 'ieee-p1363' },
          Buffer.from(signature, 'base64url'),
        ),
      );
      const { iss, sub, aud, iat, exp } = decode(claims);
      assert.deepEqual(
        [iss, sub, aud, Number(exp) - Number(iat), form['client_assertion_type'], 'client_secret' in form],
        ['robot', 'robot', servers.issuer, 60, 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer', false],
      );
      // By the issuer's clock, which is two hours ahead.
      assert.ok(Math.abs(Number(iat) - (Date.now() / 1000 + 7200)) < 30);
    });
  }

  test('a key that cannot sign is named before anything is sent', async () => {
    assert.throws(() => readSigningKey('nonsense'));
    assert.throws(
      () =>
        readSigningKey(
          generateKeyPairSync('ed25519', {
            privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
            publicKeyEncoding: { type: 'spki', format: 'pem' },
          }).privateKey,
        ),
      /neither a P-256 nor an RSA/,
    );
    const { authorizer } = await start(() => ({
      kind: 'client-credentials',
      client: { clientId: 'robot', privateKey: { pem: 'nonsense' } },
    }));
    await assert.rejects(
      call(authorizer, servers.url),
      (error: unknown) => problemOf(error) === 'bad-key' && !(error as Error).message.includes('nonsense'),
    );
    assert.equal(servers.requests('/token').length, 0);
  });

  test('an expired token is requested again, before the request and once for many calls', async () => {
    const { authorizer, pass } = await start(credentials);
    await call(authorizer, servers.url);
    pass(3600);
    assert.deepEqual(
      new Set(await Promise.all(Array.from({ length: 20 }, () => call(authorizer, servers.url)))),
      new Set([200]),
    );
    assert.equal(servers.grants('client_credentials').length, 2);
  });

  test('[A12] additional scopes are requested when the server names them, together with the earlier ones', async () => {
    const { authorizer } = await start(credentials, { wantedScopes: ['a'] });
    assert.equal(await call(authorizer, servers.url), 200);
    servers.behaviour.wantedScopes = ['b'];
    assert.equal(await call(authorizer, servers.url), 200);
    assert.deepEqual(
      servers.grants('client_credentials').map(({ form }) => form['scope']),
      ['a', 'a b'],
    );
  });

  test('[A12] the client gives up on a server that keeps naming new scopes', async () => {
    const { authorizer } = await start(credentials, { wantedScopes: ['s0'] });
    servers.behaviour.intercept = (entry) => {
      if (entry.path === '/mcp') servers.behaviour.wantedScopes = [`s${servers.requests('/mcp').length}`];
      return false;
    };
    await assert.rejects(call(authorizer, servers.url), (error: unknown) => problemOf(error) === 'scope-not-granted');
    assert.ok(servers.grants('client_credentials').length <= 4);
  });

  test('[A12] the client or JWT of one issuer is not sent to another, which is not bound either', async () => {
    let reads = 0;
    const issuer = 'https://login.corp';
    const grants: MachineGrant[] = [
      { kind: 'client-credentials', client: { clientId: 'robot', clientSecret: 'hush', issuer } },
      { kind: 'workload', issuer, jwt: () => Promise.resolve(`jwt ${++reads}`) },
    ];
    for (const grant of grants) {
      const { authorizer, store } = await start(() => grant);
      await assert.rejects(call(authorizer, servers.url), (error: unknown) => problemOf(error) === 'client-moved');
      const { bound } = await store.read(servers.url);
      assert.deepEqual([servers.requests('/token').length, reads, bound], [0, 0, undefined], grant.kind);
      await servers.stop();
    }
  });

  test('a new configured issuer replaces the one that the grant was bound to', async () => {
    const { authorizer, store } = await start(({ issuer }) => ({
      kind: 'workload',
      issuer,
      jwt: () => Promise.resolve('the.workload.jwt'),
    }));
    await store.update(
      servers.url,
      (record) => (record.bound = { clientId: 'workload ', issuer: 'https://first.example' }),
    );
    assert.equal(await call(authorizer, servers.url), 200);
    assert.deepEqual((await store.read(servers.url)).bound, { clientId: 'workload ', issuer: servers.issuer });
  });

  test('workload identity: the JWT is the assertion, without a client id; an error is final', async () => {
    const { authorizer } = await start(({ issuer }) => ({
      kind: 'workload',
      issuer,
      jwt: () => Promise.resolve('the.workload.jwt'),
    }));
    assert.equal(await call(authorizer, servers.url), 200);
    const form = servers.requests('/token')[0]?.form ?? {};
    assert.deepEqual(
      [form['grant_type'], form['assertion'], form['resource'], 'client_id' in form],
      ['urn:ietf:params:oauth:grant-type:jwt-bearer', 'the.workload.jwt', servers.url, false],
    );
  });

  test('workload identity: a refused JWT is not retried in the background', async () => {
    const { authorizer, pass } = await start(({ issuer }) => ({
      kind: 'workload',
      issuer,
      jwt: () => Promise.resolve('expired'),
    }));
    servers.behaviour.intercept = (entry, response) => {
      if (entry.path !== '/token') return false;
      json(response, { error: 'invalid_grant', error_description: 'JWT assertion is expired' }, 400);
      return true;
    };
    for (let i = 0; i < 3; i++)
      await assert.rejects(
        call(authorizer, servers.url),
        (error: unknown) =>
          problemOf(error) === 'token-refused' &&
          /JWT assertion is expired \(invalid_grant\)/.test((error as Error).message),
      );
    assert.equal(servers.requests('/token').length, 1);
    await assert.rejects(authorizer.signIn());
    assert.equal(servers.requests('/token').length, 2);
    pass(61);
    await assert.rejects(call(authorizer, servers.url));
    assert.equal(servers.requests('/token').length, 3);
  });

  test('enterprise: the ID token goes to the identity provider only, its answer to the issuer', async () => {
    let provider!: AuthServer;
    try {
      provider = await AuthServer.start({
        intercept: (entry, response) => {
          if (entry.path !== '/token') return false;
          json(response, {
            access_token: 'the-id-jag',
            issued_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
            token_type: 'N_A',
            expires_in: 300,
          });
          return true;
        },
      });
      const { authorizer, steps } = await start(() => ({
        kind: 'enterprise',
        client: { clientId: 'robot', clientSecret: 'hush' },
        provider: {
          issuer: provider.issuer,
          tokenEndpoint: `${provider.issuer}/token`,
          clientId: 'deck',
          clientSecret: 'sso',
        },
        idToken: () => Promise.resolve('the-id-token'),
      }));
      assert.equal(await call(authorizer, servers.url), 200);
      const exchange = provider.requests('/token')[0]?.form;
      assert.deepEqual(
        { ...exchange },
        {
          grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
          requested_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
          audience: servers.issuer,
          resource: servers.url,
          subject_token: 'the-id-token',
          subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
          client_id: 'deck',
          client_secret: 'sso',
        },
      );
      const grant = servers.requests('/token')[0];
      assert.deepEqual(
        [grant?.form['assertion'], grant?.headers.authorization?.startsWith('Basic ')],
        ['the-id-jag', true],
      );
      assert.ok(!JSON.stringify(servers.journal).includes('the-id-token'));
      assert.ok(!JSON.stringify(steps()).match(/the-id-token|the-id-jag|hush|"sso"/));
    } finally {
      await provider.stop();
    }
  });
});
