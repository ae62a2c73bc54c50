import assert from 'node:assert/strict';
import { afterEach, suite, test } from 'node:test';
import fc from 'fast-check';
import type { Flow } from '../../../src/core/auth/authHttp.js';
import { AuthHttp } from '../../../src/core/auth/authHttp.js';
import { problemOf } from '../../../src/core/auth/authProblem.js';
import {
  canonicalResource,
  discover,
  issuerMetadataUrls,
  resourceMatches,
  resourceMetadataUrls,
} from '../../../src/core/auth/discovery.js';
import { SignInTrace } from '../../../src/core/auth/signInTrace.js';
import { readHints } from '../../../src/core/auth/wwwAuthenticate.js';
import type { Behaviour } from '../../support/authServer.js';
import { AuthServer, json } from '../../support/authServer.js';

suite('locations of metadata', () => {
  test('[A3] protected resource: the challenge, the path, the root', () => {
    assert.deepEqual(resourceMetadataUrls(new URL('https://s.example/a/mcp'), 'https://m.example/prm'), [
      'https://m.example/prm',
      'https://s.example/.well-known/oauth-protected-resource/a/mcp',
      'https://s.example/.well-known/oauth-protected-resource',
    ]);
    assert.deepEqual(resourceMetadataUrls(new URL('https://s.example/')), [
      'https://s.example/.well-known/oauth-protected-resource',
    ]);
  });

  test('[A4] a server on this machine cannot point to another program on it, nor to an unreadable URL', () => {
    const own = [
      'http://127.0.0.1:1/.well-known/oauth-protected-resource/mcp',
      'http://127.0.0.1:1/.well-known/oauth-protected-resource',
    ];
    const server = new URL('http://127.0.0.1:1/mcp');
    assert.deepEqual(resourceMetadataUrls(server, 'http://127.0.0.1:2/trap'), own);
    assert.deepEqual(resourceMetadataUrls(server, 'http://[::bad'), own);
  });

  test('[A3] issuer: RFC 8414 with path insertion, then both forms of OpenID Connect', () => {
    assert.deepEqual(issuerMetadataUrls(new URL('https://as.example/tenant1')), [
      'https://as.example/.well-known/oauth-authorization-server/tenant1',
      'https://as.example/.well-known/openid-configuration/tenant1',
      'https://as.example/tenant1/.well-known/openid-configuration',
    ]);
    assert.deepEqual(issuerMetadataUrls(new URL('https://as.example/')), [
      'https://as.example/.well-known/oauth-authorization-server',
      'https://as.example/.well-known/openid-configuration',
    ]);
  });

  test('the canonical resource has no fragment and no slash after a bare host', () => {
    assert.equal(canonicalResource(new URL('https://S.example/#x')), 'https://s.example');
    assert.equal(canonicalResource(new URL('https://s.example/mcp?t=1#x')), 'https://s.example/mcp?t=1');
  });
});

suite('[A5] the resource must be the server', () => {
  const table: [resource: string, server: string, matches: boolean][] = [
    ['https://s.example/mcp', 'https://s.example/mcp', true],
    ['https://s.example/mcp/', 'https://s.example/mcp', true],
    ['https://s.example', 'https://s.example/mcp', true],
    ['https://s.example/a', 'https://s.example/a/mcp', true],
    ['https://s.example/mc', 'https://s.example/mcp', false],
    ['https://s.example/mcp/x', 'https://s.example/mcp', false],
    ['https://evil.example/mcp', 'https://s.example/mcp', false],
    ['http://s.example/mcp', 'https://s.example/mcp', false],
    ['https://s.example:8443/mcp', 'https://s.example/mcp', false],
    ['https://s.example/mcp#x', 'https://s.example/mcp', false],
    ['s.example', 'https://s.example/mcp', false],
    ['', 'https://s.example/mcp', false],
  ];
  for (const [resource, server, matches] of table)
    test(`${resource} for ${server}: ${matches ? 'yes' : 'no'}`, () =>
      assert.equal(resourceMatches(resource, new URL(server)), matches));

  test('a match never crosses origins or path segments', () => {
    const segment = fc.stringMatching(/^[a-z]{1,3}$/);
    fc.assert(
      fc.property(
        fc.array(segment, { maxLength: 3 }),
        fc.array(segment, { maxLength: 3 }),
        fc.boolean(),
        (resourcePath, serverPath, isSameHost) => {
          const resource = `https://${isSameHost ? 's' : 't'}.example/${resourcePath.join('/')}`;
          const isPrefix = resourcePath.every((part, i) => serverPath[i] === part);
          assert.equal(
            resourceMatches(resource, new URL(`https://s.example/${serverPath.join('/')}`)),
            isSameHost && isPrefix,
          );
        },
      ),
    );
  });
});

suite('discovery over sockets', () => {
  let servers: AuthServer;
  afterEach(() => servers.stop());

  async function find(
    behaviour: Partial<Behaviour>,
    challenge = '',
  ): Promise<{ flow: Flow; result: ReturnType<typeof discover> }> {
    servers = await AuthServer.start(behaviour);
    const flow: Flow = {
      server: 'github',
      http: new AuthHttp(new URL(servers.url)),
      trace: new SignInTrace('github'),
      now: Date.now,
      signal: undefined,
    };
    return { flow, result: discover(flow, readHints([challenge])) };
  }

  async function fails(behaviour: Partial<Behaviour>, problem: string, message?: RegExp): Promise<void> {
    await assert.rejects((await find(behaviour)).result, (error: unknown) => {
      assert.equal(problemOf(error), problem);
      if (message) assert.match((error as Error).message, message);
      return true;
    });
  }

  test('finds resource, scopes and issuer', async () => {
    const found = await (
      await find({ resourceMetadata: (document) => ({ ...document, scopes_supported: ['a'] }) })
    ).result;
    assert.deepEqual(
      {
        resource: found.resource,
        scopes: found.scopes,
        issuer: found.issuer.issuer,
        isFallback: found.isFallback,
        wantsDpop: found.wantsDpop,
      },
      { resource: servers.url, scopes: ['a'], issuer: servers.issuer, isFallback: false, wantsDpop: false },
    );
  });

  test('the metadata URL of the challenge is requested first, and the well-known ones only if it has no metadata', async () => {
    const { result } = await find({
      intercept: (entry, response) => {
        if (entry.path !== '/custom') return false;
        json(response, undefined);
        return true;
      },
    });
    await result;
    const flow: Flow = {
      server: 'github',
      http: new AuthHttp(new URL(servers.url)),
      trace: new SignInTrace('github'),
      now: Date.now,
      signal: undefined,
    };
    servers.journal.length = 0;
    await discover(flow, readHints([`Bearer resource_metadata="${servers.origin}/custom"`]));
    assert.deepEqual(
      servers.journal.map(({ path }) => path),
      ['/custom', '/.well-known/oauth-protected-resource/mcp', '/.well-known/oauth-authorization-server'],
    );
  });

  test('2025-03-26: the origin of the server is the issuer when it publishes metadata of one', async () => {
    const { result } = await find({
      resourceMetadata: () => undefined,
      intercept: (entry, response) => {
        if (entry.at !== 'server' || entry.path !== '/.well-known/oauth-authorization-server') return false;
        json(response, {
          issuer: servers.origin,
          authorization_endpoint: `${servers.origin}/o/a`,
          token_endpoint: `${servers.origin}/o/t`,
        });
        return true;
      },
    });
    const found = await result;
    assert.deepEqual(
      [found.issuer.issuer, found.issuer.token_endpoint, found.isFallback, found.resource],
      [servers.origin, `${servers.origin}/o/t`, false, servers.url],
    );
  });

  test('2025-03-26: default endpoints when no metadata is published; each location is requested once', async () => {
    const found = await (await find({ resourceMetadata: () => undefined })).result;
    const { origin } = servers;
    assert.equal(found.isFallback, true);
    assert.deepEqual(found.issuer, {
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
    });
    const asked = servers.journal.map(({ path }) => path);
    assert.equal(new Set(asked).size, asked.length);
  });

  test('[A5] another resource ends the search before any issuer is contacted', async () => {
    await fails(
      { resourceMetadata: (document) => ({ ...document, resource: 'https://api.bank.example/mcp' }) },
      'resource-mismatch',
      /https:\/\/api\.bank\.example\/mcp/,
    );
    assert.equal(servers.journal.filter(({ at }) => at === 'issuer').length, 0);
  });

  test('[A6] metadata of another issuer is not used', () =>
    fails(
      { issuerMetadata: (document) => ({ ...document, issuer: 'https://login.honest.example/tenant1' }) },
      'issuer-mismatch',
      /login\.honest\.example/,
    ));

  test('[A6] a trailing slash after a bare host is the same issuer', async () => {
    const found = await (
      await find({ issuerMetadata: (document) => ({ ...document, issuer: `${String(document['issuer'])}/` }) })
    ).result;
    assert.equal(found.issuer.issuer, `${servers.issuer}/`);
  });

  test('[A3] HTML, wrong types and a missing resource are reported', async () => {
    await fails(
      {
        intercept: (entry, response) =>
          entry.path.includes('protected-resource') && !!response.writeHead(200).end('<html>captive portal</html>'),
      },
      'bad-metadata',
      /not a JSON object/,
    );
    await servers.stop();
    await fails(
      { resourceMetadata: () => ({ resource: 42, authorization_servers: 'x' }) },
      'bad-metadata',
      /"resource" is missing/,
    );
    await servers.stop();
    await fails(
      { resourceMetadata: (document) => ({ ...document, authorization_servers: 'x' }) },
      'bad-metadata',
      /"authorization_servers" is not/,
    );
    await servers.stop();
    await fails(
      { issuerMetadata: (document) => ({ ...document, token_endpoint: 7 }) },
      'bad-metadata',
      /"token_endpoint" is missing/,
    );
    await servers.stop();
    await fails({ issuerMetadata: () => undefined }, 'bad-metadata', /publishes no metadata/);
  });

  test('[A4] an issuer with a query, a private one and one without https are never contacted', async () => {
    for (const issuer of [
      'http://127.0.0.1:1/?x=as',
      'http://169.254.169.254/as',
      'https://10.0.0.1/as',
      'http://login.example',
      'javascript:alert(1)',
      'https://a:b@login.example',
    ]) {
      await fails({ resourceMetadata: (document) => ({ ...document, authorization_servers: [issuer] }) }, 'unsafe-url');
      await servers.stop();
    }
    servers = await AuthServer.start();
  });

  test('the second issuer is used when the first is invalid; the preferred one comes first', async () => {
    const { flow, result } = await find({
      resourceMetadata: (document) => ({
        ...document,
        authorization_servers: ['http://127.0.0.1:1/dead', servers.issuer],
      }),
    });
    assert.equal((await result).issuer.issuer, servers.issuer);
    flow.trace.add('done');
    servers.journal.length = 0;
    const preferred = await discover(
      { ...flow, trace: new SignInTrace('x') },
      readHints([]),
      (issuer) => issuer === servers.issuer,
    );
    assert.equal(preferred.issuer.issuer, servers.issuer);
  });

  test('fields of the wrong type count as absent', async () => {
    const found = await (
      await find({
        issuerMetadata: (document) => ({
          ...document,
          code_challenge_methods_supported: 'S256',
          registration_endpoint: 5,
          scopes_supported: [1],
          extra: {},
        }),
      })
    ).result;
    assert.deepEqual(
      [
        found.issuer.code_challenge_methods_supported,
        found.issuer.registration_endpoint,
        found.issuer.scopes_supported,
        'extra' in found.issuer,
      ],
      [undefined, undefined, undefined, false],
    );
  });
});
