import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { judgeRedirect } from '../../../../src/core/transport/http/httpCall.js';
import { HttpTransport } from '../../../../src/core/transport/http/httpTransport.js';
import { baseUrl, parseRemoteAddress, withUrl } from '../../../../src/core/transport/http/remoteAddress.js';
import { HttpTestPeer } from '../../../support/httpTestPeer.js';
import type { HttpHandler } from '../../../support/httpTestServer.js';
import { eventText, HttpTestServer, legacyServer, sendResult, startEvents } from '../../../support/httpTestServer.js';
import { until } from '../../../support/httpUntil.js';

const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const thing of open.splice(0).reverse()) await thing.close();
});

async function serve(handler: HttpHandler): Promise<HttpTestServer> {
  const server = await HttpTestServer.start(handler);
  open.push(server);
  return server;
}

async function peerFor(server: HttpTestServer): Promise<HttpTestPeer> {
  const transport = new HttpTransport(parseRemoteAddress(server.url), { headers: { 'X-Key': 'secret' } });
  open.push(transport);
  const peer = new HttpTestPeer(transport);
  await transport.open(peer);
  return peer;
}

describe('[H4] a redirect', () => {
  test('within the origin is followed with method, body and headers', async () => {
    const server = await serve((seen) =>
      seen.path === '/mcp/'
        ? sendResult(seen, { path: seen.path })
        : seen.response.writeHead(307, { location: '/mcp/' }).end(),
    );
    const peer = await peerFor(server);
    assert.deepEqual(await peer.request('a'), { path: '/mcp/' });
    await peer.request('b');
    assert.deepEqual(
      server.seen.map(({ path, rpc, headers }) => [path, rpc?.method, headers['x-key']].join(' ')),
      ['/mcp a secret', '/mcp/ a secret', '/mcp b secret', '/mcp/ b secret'],
    );
  });

  test('that is permanent is stored', async () => {
    const server = await serve((seen) =>
      seen.path === '/new?x=1' ? sendResult(seen) : seen.response.writeHead(308, { location: 'new?x=1' }).end(),
    );
    const peer = await peerFor(server);
    await peer.request('a');
    await peer.request('b');
    assert.deepEqual(
      server.seen.map(({ path }) => path),
      ['/mcp', '/new?x=1', '/new?x=1'],
    );
  });

  test('to another origin is not followed: nothing is sent there, and the error names it', async () => {
    const trap = await serve((seen) => sendResult(seen));
    const server = await serve((seen) => seen.response.writeHead(307, { location: trap.url }).end());
    const peer = await peerFor(server);
    await assert.rejects(
      peer.request('a'),
      (error: any) => error.code === 'http-status' && error.message.includes(trap.origin),
    );
    assert.deepEqual(trap.seen, []);
  });

  test('that would drop the message is not followed', async () => {
    for (const status of [301, 302, 303]) {
      const server = await serve((seen) => seen.response.writeHead(status, { location: '/other' }).end());
      const peer = await peerFor(server);
      await assert.rejects(peer.request('a'), { code: 'http-status', message: new RegExp(`status ${status}`) });
      assert.equal(server.seen.length, 1);
    }
  });

  test('is followed at most five times', async () => {
    const server = await serve((seen) => seen.response.writeHead(308, { location: seen.path }).end());
    const peer = await peerFor(server);
    await assert.rejects(peer.request('a'), { code: 'http-status', message: /more than 5 times/ });
    assert.equal(server.seen.length, 6);
  });

  test('of the GET stream is followed for any redirect status', async () => {
    const server = await serve(
      legacyServer({
        onGet: (seen) => {
          if (seen.path === '/mcp') seen.response.writeHead(302, { location: '/stream' }).end();
          else startEvents(seen).write(eventText({ jsonrpc: '2.0', method: 'note' }));
        },
      }),
    );
    const peer = await peerFor(server);
    await peer.connect();
    await until(() => peer.messages.some(({ method }) => method === 'note'));
  });

  test('to a path that looks like another host stays on the host, also for later redirects and sign-ins', () => {
    const from = parseRemoteAddress('https://a.example/mcp');
    const verdict = judgeRedirect('POST', 307, 'https://a.example//b.example/x', from);
    assert.ok('target' in verdict);
    assert.equal(baseUrl(withUrl(from, verdict.target)).href, 'https://a.example//b.example/x');
  });

  test('is checked by scheme, origin and method', () => {
    const from = parseRemoteAddress('https://a.example:8443/mcp?k=1');
    const target = (location: string | undefined, method = 'POST', status = 307) => {
      const verdict = judgeRedirect(method, status, location, from);
      return 'target' in verdict ? verdict.target.href : verdict.problem;
    };
    assert.equal(target('/x'), 'https://a.example:8443/x');
    assert.equal(target('https://A.example:8443/y', 'GET', 303), 'https://a.example:8443/y');
    assert.match(target('http://a.example:8443/x'), /another origin, http:\/\/a\.example:8443/);
    assert.match(target('https://a.example/x'), /another origin/);
    assert.match(target('//b.example/x'), /another origin, https:\/\/b\.example/);
    assert.match(target('javascript:alert(1)'), /scheme "javascript:"/);
    assert.match(target('file:///etc/passwd'), /scheme "file:"/);
    assert.match(target('https://'), /not a URL/);
    assert.match(target(undefined), /no new address/);
    assert.match(target('/x', 'POST', 302), /drop the message/);
  });
});
