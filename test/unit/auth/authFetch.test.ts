import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, suite, test } from 'node:test';
import { fetchTrusting } from '../../../src/core/auth/authFetch.js';
import type { AuthRequest } from '../../../src/core/auth/authHttp.js';
import { AuthHttp } from '../../../src/core/auth/authHttp.js';
import { problemOf } from '../../../src/core/auth/authProblem.js';
import { SignInTrace } from '../../../src/core/auth/signInTrace.js';
import { certificate, expiredCertificate, farCertificate, privateKey } from '../../support/httpTestCertificate.js';
import { startProtectedServer } from '../../support/protectedMcp.js';
import { signInHost } from '../../support/signInHost.js';

suite('sign-in at a server with private certificate authorities', () => {
  const servers: https.Server[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });

  async function listen(
    listener: (request: IncomingMessage, response: ServerResponse) => void,
    cert = certificate,
  ): Promise<string> {
    const server = https.createServer({ key: privateKey, cert }, listener);
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  const hello = (_request: IncomingMessage, response: ServerResponse) =>
    void response.setHeader('x-who', 'me').end('hello');
  const asked = (more: Partial<AuthRequest> = {}): AuthRequest => ({
    method: 'GET',
    headers: {},
    redirect: 'manual',
    signal: new AbortController().signal,
    ...more,
  });

  test('the server is trusted only with its own authorities', async () => {
    const origin = await listen(hello);
    const answer = await fetchTrusting(certificate, `${origin}/mcp`)(`${origin}/document`, asked());
    assert.deepEqual([answer.status, answer.headers.get('x-who'), await answer.text()], [200, 'me', 'hello']);
    await assert.rejects(fetchTrusting(farCertificate, `${origin}/mcp`)(origin, asked()), {
      code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
    });
  });

  test('an issuer elsewhere is trusted with them if the system does not know its authority', async () => {
    const origin = await listen(hello);
    assert.equal(
      await (await fetchTrusting(certificate, 'https://server.example/mcp')(origin, asked())).text(),
      'hello',
    );
    await assert.rejects(fetchTrusting(farCertificate, 'https://server.example/mcp')(origin, asked()), {
      code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
    });
  });

  test('a certificate that has expired or has another name is never trusted', async () => {
    const expired = await listen(hello, expiredCertificate);
    await assert.rejects(fetchTrusting(expiredCertificate, `${expired}/mcp`)(expired, asked()), {
      code: 'CERT_HAS_EXPIRED',
    });
    const other = await listen(hello, farCertificate);
    await assert.rejects(fetchTrusting(farCertificate, `${other}/mcp`)(other, asked()), {
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    });
  });

  test('a form is sent as a form, a redirect is returned, and an answer without a body has no body', async () => {
    const seen: unknown[] = [];
    const origin = await listen((request, response) => {
      void request.toArray().then((chunks) => {
        seen.push([request.method, request.headers['content-type'], Buffer.concat(chunks as Buffer[]).toString()]);
        if (request.url === '/gone') response.writeHead(204).end();
        else response.writeHead(302, { location: '/elsewhere' }).end();
      });
    });
    const fetch = fetchTrusting(certificate, `${origin}/mcp`);
    const moved = await fetch(
      `${origin}/token`,
      asked({ method: 'POST', body: new URLSearchParams({ grant_type: 'a b' }) }),
    );
    assert.deepEqual([moved.status, moved.headers.get('location')], [302, '/elsewhere']);
    assert.deepEqual(seen, [['POST', 'application/x-www-form-urlencoded;charset=UTF-8', 'grant_type=a+b']]);
    assert.deepEqual(
      [(await fetch(`${origin}/gone`, asked())).status, (await fetch(`${origin}/gone`, asked())).body],
      [204, null],
    );
  });

  test('[A3] its answers are limited like all others', async () => {
    const origin = await listen((_request, response) => void response.end(Buffer.alloc(4 * 1024 * 1024, ' ')));
    const http = new AuthHttp(new URL(`${origin}/mcp`), { fetch: fetchTrusting(certificate, `${origin}/mcp`) });
    const flow = { server: 'vault', http, trace: new SignInTrace('vault'), now: Date.now, signal: undefined };
    await assert.rejects(
      http.request(flow, 'issuer-metadata', `${origin}/big`),
      (error: unknown) =>
        problemOf(error) === 'unreachable' && /larger than 1048576 bytes/.test((error as Error).message),
    );
  });

  test('a whole sign-in needs only "caFile"', async () => {
    const server = await startProtectedServer({}, { host: '127.0.0.1', certificate });
    server.clients.set('robot', { secret: 'robot-secret', redirectUris: [] });
    const define = (caFile?: string) =>
      signInHost({
        files: { '/ca.pem': certificate },
        servers: {
          vault: {
            type: 'http',
            url: server.url,
            ...(caFile === undefined ? {} : { caFile }),
            oauth: { grant: 'client-credentials', clientId: 'robot', clientSecret: 'robot-secret' },
          },
        },
      });
    const trusting = define('/ca.pem');
    const doubtful = define();
    try {
      await trusting.host.open();
      await trusting.host.lifecycle.start('vault', { interactive: false });
      assert.deepEqual([trusting.state('vault'), server.grants('client_credentials').length], ['running', 1]);
      await doubtful.host.open();
      await assert.rejects(
        doubtful.host.lifecycle.start('vault', { interactive: false }),
        /DEPTH_ZERO_SELF_SIGNED_CERT/,
      );
    } finally {
      await trusting.host.close();
      await doubtful.host.close();
      await server.stop();
    }
  });
});
