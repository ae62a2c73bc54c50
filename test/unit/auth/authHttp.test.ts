import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { after, before, suite, test } from 'node:test';
import fc from 'fast-check';
import type { AuthHttpOptions, Flow } from '../../../src/core/auth/authHttp.js';
import { AuthHttp } from '../../../src/core/auth/authHttp.js';
import { problemOf } from '../../../src/core/auth/authProblem.js';
import { SignInTrace } from '../../../src/core/auth/signInTrace.js';
import { HostError } from '../../../src/core/base/hostError.js';
import { ManualClock } from '../../support/manualClock.js';

suite('requests of a sign-in', () => {
  const hits: string[] = [];
  let answer: (path: string, response: ServerResponse) => void = () => undefined;
  const server = createServer((request, response) => {
    hits.push(request.url ?? '');
    answer(request.url ?? '', response);
  });
  let origin = '';
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  function flow(serverUrl = `${origin}/mcp`, options: AuthHttpOptions = {}, signal?: AbortSignal): Flow {
    return {
      server: 'github',
      http: new AuthHttp(new URL(serverUrl), options),
      trace: new SignInTrace('github'),
      now: Date.now,
      signal,
    };
  }

  const problem = (expected: string, message?: RegExp) => (error: unknown) => {
    assert.equal(problemOf(error), expected);
    if (message) assert.match((error as Error).message, message);
    return true;
  };

  test('[A3] a document above 1 MiB is cut off, also when it was compressed', async () => {
    const big = gzipSync(Buffer.alloc(8 * 1024 * 1024, ' '));
    answer = (_path, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'application/json' }).end(big);
    const run = flow();
    await assert.rejects(
      run.http.request(run, 'issuer-metadata', `${origin}/big`),
      problem('unreachable', /larger than 1048576 bytes/),
    );
  });

  test('[A3] a slowly arriving document is aborted after 10 seconds', async () => {
    const clock = new ManualClock();
    const begun = new Promise<void>((resolve) => {
      answer = (_path, response) => {
        response.writeHead(200).write('{');
        resolve();
      };
    });
    const run = flow(undefined, { clock });
    const result = run.http.request(run, 'issuer-metadata', `${origin}/slow`);
    const rejected = assert.rejects(result, problem('unreachable', /within 10 seconds/));
    await begun;
    await clock.advance(10_000);
    await rejected;
    assert.equal(clock.pending, 0);
  });

  test('[A4] a redirect to another origin is not followed, one within the origin is', async () => {
    hits.length = 0;
    answer = (path, response) => {
      if (path === '/out') response.writeHead(302, { location: 'http://127.0.0.1:9/trap' }).end();
      else if (path === '/in') response.writeHead(307, { location: '/there' }).end();
      else response.writeHead(200).end('{"ok":1}');
    };
    const run = flow();
    await assert.rejects(
      run.http.request(run, 'issuer-metadata', `${origin}/out`),
      problem('bad-metadata', /redirects to http:\/\/127.0.0.1:9/),
    );
    assert.deepEqual((await run.http.request(run, 'issuer-metadata', `${origin}/in`)).json, { ok: 1 });
    assert.deepEqual(hits, ['/out', '/in', '/there']);
  });

  test('[A4] at most three redirects are followed, and none for a POST', async () => {
    hits.length = 0;
    answer = (_path, response) => response.writeHead(302, { location: '/again' }).end();
    const run = flow();
    await assert.rejects(run.http.request(run, 'issuer-metadata', `${origin}/loop`), problem('bad-metadata'));
    assert.equal(hits.length, 4);
    assert.equal(
      (await run.http.request(run, 'token', `${origin}/token`, { method: 'POST', headers: {}, body: 'a=1' })).status,
      302,
    );
    assert.equal(hits.length, 5);
  });

  test('[A4] every address of a name is checked, and nothing is sent when one is private', async () => {
    let asked = 0;
    const fetch = () => {
      asked++;
      return Promise.resolve(new Response('{}'));
    };
    const addresses: Record<string, string[]> = {
      'mcp.example': ['93.184.216.34'],
      'rebind.example': ['93.184.216.34', '169.254.169.254'],
      'fine.example': ['93.184.216.35'],
    };
    const run = flow('https://mcp.example/mcp', { fetch, resolve: (host) => Promise.resolve(addresses[host] ?? []) });
    await assert.rejects(
      run.http.request(run, 'token', 'https://rebind.example/token'),
      problem('unsafe-url', /rebind\.example.* link-local/),
    );
    await assert.rejects(
      run.http.request(run, 'token', 'https://[::ffff:10.0.0.1]/token'),
      problem('unsafe-url', /its address is private/),
    );
    await assert.rejects(
      run.http.request(run, 'token', 'http://fine.example/token'),
      problem('unsafe-url', /http is allowed only if/),
    );
    await assert.rejects(
      run.http.request(run, 'token', 'http://127.0.0.1:1/token'),
      problem('unsafe-url', /http is allowed only if/),
    );
    assert.equal(asked, 0);
    assert.equal((await run.http.request(run, 'token', 'https://fine.example/token')).status, 200);
  });

  test('[A4] a private host is reached when the user configured it, or when the server is in the private network too', async () => {
    const fetch = () => Promise.resolve(new Response('{}'));
    const resolve = (host: string) => Promise.resolve(host === 'mcp.example' ? ['93.184.216.34'] : ['10.0.0.5']);
    const named = flow('https://mcp.example/mcp', { fetch, resolve, trustedHosts: ['SSO.corp'] });
    assert.equal((await named.http.request(named, 'token', 'https://sso.corp/token')).status, 200);
    const inside = flow('https://mcp.corp/mcp', { fetch, resolve });
    assert.equal((await inside.http.request(inside, 'token', 'https://sso.corp/token')).status, 200);
  });

  test('[A4] a redirect within the origin is resolved and checked again', async () => {
    let lookups = 0;
    const resolve = (host: string) =>
      Promise.resolve(host === 'mcp.example' || lookups++ === 0 ? ['93.184.216.34'] : ['127.0.0.1']);
    const fetch = () => Promise.resolve(new Response(null, { status: 302, headers: { location: '/next' } }));
    const run = flow('https://mcp.example/mcp', { fetch, resolve });
    await assert.rejects(
      run.http.request(run, 'issuer-metadata', 'https://as.example/x'),
      problem('unsafe-url', /loopback/),
    );
  });

  test('[A4] no redirect leads to another origin', async () => {
    const location = fc.oneof(
      fc.webUrl({ withFragments: true }),
      fc.string(),
      fc.constantFrom(
        '//evil.example/x',
        '/\\evil.example',
        'https:evil',
        '\\\\evil.example',
        'http://as.example/',
        'https://as.example@evil.example/',
        'javascript:alert(1)',
        'https://as.example:444/',
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(location, { minLength: 1, maxLength: 4 }), async (locations) => {
        const contacted: string[] = [];
        const fetch = (url: string) => {
          contacted.push(new URL(url).origin);
          const next = locations[contacted.length - 1]?.replace(/[^\x20-\x7e]/g, '');
          return Promise.resolve(
            next === undefined ? new Response('{}') : new Response(null, { status: 302, headers: { location: next } }),
          );
        };
        const run = flow('https://mcp.example/mcp', { fetch, resolve: () => Promise.resolve(['93.184.216.34']) });
        await run.http.request(run, 'issuer-metadata', 'https://as.example/a').catch(() => undefined);
        assert.deepEqual(new Set(contacted), new Set(['https://as.example']));
        assert.ok(contacted.length <= 4);
      }),
    );
  });

  test('names that this machine cannot resolve are left to the proxy', async () => {
    const run = flow('https://mcp.example/mcp', {
      fetch: () => Promise.resolve(new Response('{}')),
      resolve: () => Promise.reject(new Error('ENOTFOUND')),
    });
    assert.equal((await run.http.request(run, 'token', 'https://as.example/token')).status, 200);
  });

  test('an unreachable host is an error with its name and the reason', async () => {
    const run = flow();
    await assert.rejects(
      run.http.request(run, 'issuer-metadata', 'http://127.0.0.1:1/x'),
      problem('unreachable', /http:\/\/127\.0\.0\.1:1\/x: .*(ECONNREFUSED|bad port)/),
    );
  });

  test('a request on a reused connection that is just being closed is repeated exactly once', async () => {
    let hangUps = 0;
    answer = (path, response) => {
      if (path === '/kept' || hangUps-- <= 0) response.writeHead(200).end('{"ok":1}');
      else response.destroy();
    };
    const run = flow();
    await run.http.request(run, 'issuer-metadata', `${origin}/kept`);
    for (const method of ['GET', 'POST']) {
      hangUps = 1;
      assert.deepEqual((await run.http.request(run, 'token', `${origin}/closing`, { method, headers: {} })).json, {
        ok: 1,
      });
    }
    hangUps = 2;
    await assert.rejects(run.http.request(run, 'token', `${origin}/closing`), problem('unreachable'));
  });

  test('canceling ends a request that hangs, and one that has not started', async () => {
    const begun = new Promise<void>((resolve) => (answer = () => resolve()));
    const cancel = new AbortController();
    const run = flow(undefined, {}, cancel.signal);
    const rejected = assert.rejects(
      run.http.request(run, 'token', `${origin}/hang`),
      (error: unknown) => error instanceof HostError && error.code === 'cancelled',
    );
    await begun;
    cancel.abort();
    await rejected;
    await assert.rejects(
      run.http.request(run, 'token', `${origin}/hang`),
      (error: unknown) => error instanceof HostError && error.code === 'cancelled',
    );
  });

  test('the clock of a server is known after its first answer', async () => {
    answer = (_path, response) =>
      response.writeHead(200, { date: new Date(Date.now() + 3_600_000).toUTCString() }).end('{}');
    const run = flow();
    assert.equal(run.http.skewOf(origin), undefined);
    await run.http.request(run, 'issuer-metadata', `${origin}/x`);
    assert.ok(Math.abs((run.http.skewOf(origin) ?? 0) - 3600) <= 2);
  });
});
