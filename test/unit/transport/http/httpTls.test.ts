import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { openRemote } from '../../../../src/core/transport/remoteTransport.js';
import type { RemoteOptions } from '../../../../src/core/transport/remoteOptions.js';
import { certificate } from '../../../support/httpTestCertificate.js';
import { HttpTestPeer } from '../../../support/httpTestPeer.js';
import type { HttpTestServerOptions } from '../../../support/httpTestServer.js';
import { HttpTestServer, legacyServer, sendResult } from '../../../support/httpTestServer.js';
import { localSocket } from '../../../support/localSocket.js';

const open: { close(): Promise<unknown>; describe?(): unknown }[] = [];
afterEach(async () => {
  for (const thing of open.splice(0).reverse()) await thing.close();
});

async function serve(options: HttpTestServerOptions): Promise<HttpTestServer> {
  const server = await HttpTestServer.start(
    legacyServer({ handler: (seen) => sendResult(seen, { host: seen.headers.host }) }),
    options,
  );
  open.push(server);
  return server;
}

/** Completes the handshake and sends a request, through `url`. */
async function ask(url: string, options: RemoteOptions = {}): Promise<any> {
  const transport = openRemote({ type: 'http', url, headers: {} }, options);
  open.push(transport);
  const peer = await new HttpTestPeer(transport).connect();
  return peer.request('a');
}

const hasIpv6 = await HttpTestServer.start(() => undefined, { host: '::1' }).then(
  async (server) => {
    await server.close();
    return true;
  },
  () => false,
);

describe('[H10] TLS', () => {
  test('with an unknown certificate is refused, with a hint', async () => {
    const server = await serve({ tls: true });
    await assert.rejects(ask(server.url), (error: any) => {
      assert.deepEqual(
        { code: error.code, errno: error.data.errno },
        { code: 'connection-refused', errno: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
      );
      assert.match(error.hint, /"caFile"/);
      return true;
    });
  });

  test('with a certificate of a private authority works', async () => {
    const server = await serve({ tls: true });
    assert.deepEqual(await ask(server.url, { ca: certificate }), { host: `127.0.0.1:${server.port}` });
  });

  test('with the certificate of another name is refused', async () => {
    // By default macOS has only one loopback address; there the same address is written in another notation.
    const isMac = process.platform === 'darwin';
    const server = await serve({ tls: true, ...(isMac ? {} : { host: '127.0.0.2' }) });
    await assert.rejects(
      ask(isMac ? server.url.replace('127.0.0.1', '[::ffff:127.0.0.1]') : server.url, { ca: certificate }),
      { code: 'connection-refused', hint: /another name/ },
    );
  });

  test('where the server speaks plain HTTP is refused, with a hint', async () => {
    const server = await serve({});
    await assert.rejects(ask(server.url.replace('http:', 'https:')), {
      code: 'connection-refused',
      hint: /HTTP without TLS/,
    });
  });
});

describe('[H10] addresses', () => {
  test('may be IPv6 literals', { skip: !hasIpv6 }, async () => {
    const server = await serve({ host: '::1' });
    assert.deepEqual(await ask(server.url), { host: `[::1]:${server.port}` });
  });

  test('may be localhost, for any address family of the server', async () => {
    for (const host of hasIpv6 ? ['127.0.0.1', '::1'] : ['127.0.0.1']) {
      const server = await serve({ host });
      assert.deepEqual(await ask(`http://localhost:${server.port}/mcp`), { host: `localhost:${server.port}` });
    }
  });

  test('[sockets] may be Unix sockets, or named pipes on Windows, with the request path in the fragment', async () => {
    const socket = localSocket();
    try {
      const server = await serve({ socketPath: socket.path });
      assert.deepEqual(await ask(`${socket.url}#/sub/mcp`), { host: 'localhost' });
      assert.equal(server.seen[0]?.path, '/sub/mcp');
      assert.deepEqual(open.at(-1)?.describe?.(), { address: decodeURIComponent(socket.url) });
      await assert.rejects(ask(`${socket.url}-none#/mcp`), { code: 'connection-refused', message: /no socket/ });
    } finally {
      socket.remove();
    }
  });
});
