/** With a proxy, only the proxy must be reachable; the proxy resolves the server's own name and port. */
import assert from 'node:assert/strict';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { findProxy } from '../../../src/core/doctor/proxy.js';
import { parseRemoteAddress } from '../../../src/core/transport/http/remoteAddress.js';
import { certificate, privateKey } from '../../support/httpTestCertificate.js';
import { ProxyServer, requestsThroughProxy } from '../../support/proxyServer.js';
import { assertIs, checkOf, diagnosisOf, machine, speakingMcp, withServer } from './diagnosing.js';

/** The proxies that VS Code would use, by host name. */
const proxies = new Map<string, string>();
let plainPort: number;
let securePort: number;
const plain = http.createServer(speakingMcp());
const secure = https.createServer({ key: privateKey, cert: certificate }, speakingMcp());
let undo: { dispose(): void };

before(async () => {
  undo = requestsThroughProxy((hostname) => proxies.get(hostname));
  for (const server of [plain, secure]) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  [plainPort, securePort] = [plain, secure].map((server) => (server.address() as AddressInfo).port) as [number, number];
});
after(async () => {
  undo.dispose();
  for (const server of [plain, secure]) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** A host behind a proxy from the settings; `visited` is the proxy address that VS Code uses. */
async function behind<T>(
  hostname: string,
  proxy: ProxyServer,
  work: () => Promise<T>,
  visited = proxy.url,
): Promise<T> {
  proxies.set(hostname, visited);
  try {
    return await work();
  } finally {
    await proxy.stop();
  }
}

describe('the doctor reports problems behind a proxy', { concurrency: 8 }, () => {
  test('a plain server that only the proxy reaches works, without a failed check', async () => {
    const proxy = await ProxyServer.start({ routes: { 'plain.invalid': plainPort } });
    const { checks } = await behind('plain.invalid', proxy, () =>
      diagnosisOf({ url: 'http://plain.invalid/mcp' }, { machine: machine({ settings: { 'http.proxy': proxy.url } }) }),
    );
    assert.deepEqual(
      checks.filter(({ outcome }) => outcome === 'failed'),
      [],
    );
    assert.deepEqual(
      checks.map(({ id, outcome }) => `${id} ${outcome}`),
      [
        'configuration ok',
        'trust ok',
        'variables ok',
        'address ok',
        'proxy ok',
        'name skipped',
        'port ok',
        'certificate warning',
        'http ok',
        'handshake ok',
        'lists ok',
      ],
    );
    assert.match(checkOf({ checks }, 'port').seen, /A program listens at the proxy 127\.0\.0\.1:\d+\./);
  });

  test('the certificate is that of the server behind the proxy, and the user of the proxy is not shown', async () => {
    const proxy = await ProxyServer.start({
      routes: { 'localhost.test': securePort },
      credentials: 'ada:hunter2-hunter2',
    });
    const url = proxy.url.replace('//', '//ada:hunter2-hunter2@');
    const diagnosis = await behind(
      'localhost.test',
      proxy,
      () => diagnosisOf({ url: 'https://localhost.test/mcp' }, { machine: machine({ env: { https_proxy: url } }) }),
      url,
    );
    assertIs(
      diagnosis,
      'certificate',
      /for MCP Deck test, issued by MCP Deck test.*not trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\)/,
      /"caFile"/,
    );
    assert.deepEqual(proxy.requests, ['CONNECT localhost.test:443']);
    assert.doesNotMatch(JSON.stringify(diagnosis), /hunter2|YWRhOmh1bnRlcjI/);
  });

  test('a certificate of another name', async () => {
    const proxy = await ProxyServer.start({ routes: { 'other.invalid': securePort } });
    const diagnosis = await behind('other.invalid', proxy, () =>
      diagnosisOf(
        { url: 'https://other.invalid/mcp', caFile: '/ca.pem' },
        { machine: machine({ settings: { 'http.proxy': proxy.url }, files: { '/ca.pem': certificate } }) },
      ),
    );
    assertIs(
      diagnosis,
      'certificate',
      /ERR_TLS_CERT_ALTNAME_INVALID/,
      /is for a different host name\. Use that name in "url" \(DNS:localhost/,
    );
  });

  test('a proxy that requires a sign-in, in front of a plain and of a secure server', async () => {
    for (const scheme of ['http', 'https']) {
      const host = `${scheme}-407.invalid`;
      const proxy = await ProxyServer.start({ routes: {}, credentials: 'ada:right' });
      const diagnosis = await behind(host, proxy, () =>
        diagnosisOf(
          { url: `${scheme}://${host}/mcp` },
          { machine: machine({ settings: { 'http.proxy': proxy.url } }) },
        ),
      );
      assertIs(
        diagnosis,
        'http',
        /The proxy requires a sign-in \(status 407\)/,
        /Correct the user name and the password of the proxy in the setting "http\.proxy"/,
      );
      assert.equal(checkOf(diagnosis, 'certificate').outcome, 'warning');
    }
  });

  test('a proxy that forbids the host, and one that does not reach it', async () => {
    const forbidding = await ProxyServer.start({ routes: {}, refuses: 403 });
    assertIs(
      await behind('far.invalid', forbidding, () =>
        diagnosisOf(
          { url: 'https://far.invalid/mcp' },
          { machine: machine({ settings: { 'http.proxy': forbidding.url } }) },
        ),
      ),
      'certificate',
      /blocks connections to far\.invalid \(status 403/,
      /must allow this host/,
    );
    const strict = await ProxyServer.start({ routes: {}, refuses: 403 });
    assertIs(
      await behind('plain-far.invalid', strict, () =>
        diagnosisOf(
          { url: 'http://plain-far.invalid/mcp' },
          { machine: machine({ settings: { 'http.proxy': strict.url } }) },
        ),
      ),
      'http',
      /status 403 and refuses access\. The response might also come from the proxy 127\.0\.0\.1:\d+/,
      /token/,
    );
    const lost = await ProxyServer.start({ routes: {} });
    assertIs(
      await behind('lost.invalid', lost, () =>
        diagnosisOf(
          { url: 'https://lost.invalid:8443/mcp' },
          { machine: machine({ settings: { 'http.proxy': lost.url } }) },
        ),
      ),
      'certificate',
      /cannot reach lost\.invalid, port 8443 \(status 502/,
      /Check the host and the port in "url"/,
    );
  });

  test('a proxy that is down, and one whose name is wrong', async () => {
    const port = await withServer(net.createServer(), (free) => Promise.resolve(free));
    assertIs(
      await diagnosisOf(
        { url: 'https://server.invalid/mcp' },
        { machine: machine({ env: { HTTPS_PROXY: `http://127.0.0.1:${port}` } }) },
      ),
      'port',
      /The proxy 127\.0\.0\.1:\d+ cannot be reached \(ECONNREFUSED\)/,
      /Start the proxy, or correct the variable HTTPS_PROXY/,
    );
    assertIs(
      await diagnosisOf(
        { url: 'https://server.invalid/mcp' },
        { machine: machine({ settings: { 'http.proxy': 'http://no-proxy.invalid:3128' } }) },
      ),
      'name',
      /The name of the proxy, no-proxy\.invalid, could not be resolved/,
      /Correct the setting "http\.proxy"/,
    );
  });

  test('a server that is not a proxy', async () => {
    await withServer(
      net.createServer((socket) =>
        socket
          .on('error', () => undefined)
          .resume()
          .end('SSH-2.0-OpenSSH\r\n\r\n'),
      ),
      async (port) =>
        assertIs(
          await diagnosisOf(
            { url: 'https://server.invalid/mcp' },
            { machine: machine({ settings: { 'http.proxy': `http://127.0.0.1:${port}` } }) },
          ),
          'certificate',
          /does not open a connection: its response is not HTTP/,
          /"http\.proxy" specifies an HTTP proxy/,
        ),
    );
  });

  test('a proxy that is not an address', async () => {
    const diagnosis = await diagnosisOf(
      { url: 'https://server.invalid/mcp' },
      { machine: machine({ settings: { 'http.proxy': 'proxy.example:3128' } }) },
    );
    assertIs(diagnosis, 'proxy', /"http\.proxy" is not a valid URL, so VS Code does not use it/, /needs a scheme/);
  });

  test('a proxy that only the system knows: a request that succeeds is not reported as a failure', async () => {
    const proxy = await ProxyServer.start({ routes: { 'system.invalid': plainPort } });
    const diagnosis = await behind('system.invalid', proxy, () => diagnosisOf({ url: 'http://system.invalid/mcp' }));
    assert.deepEqual(
      diagnosis.checks.filter(({ outcome }) => outcome === 'failed'),
      [],
    );
    assert.match(checkOf(diagnosis, 'name').seen, /could not be resolved .* However, the server responds/);
    assert.equal(checkOf(diagnosis, 'handshake').outcome, 'ok');
  });
});

test('the proxy that VS Code uses', () => {
  const seen = (url: string, env: Record<string, string>, settings: Record<string, unknown> = {}) =>
    findProxy(parseRemoteAddress(url), env, (key) => settings[key]).check.seen;
  const env = {
    HTTPS_PROXY: 'http://p:1',
    NO_PROXY: 'x.example,.inner.example,10.0.0.0/8,*.star.example,one.example:8443',
  };
  assert.match(seen('https://a.example', env), /through p:1, which is set by the variable HTTPS_PROXY/);
  assert.match(
    seen('https://a.example', env, { 'http.proxy': 'https://q' }),
    /through q:443, which is set by the setting "http\.proxy"/,
  );
  assert.match(seen('https://a.example', { http_proxy: 'socks5://s' }), /through s:1080/);
  for (const excepted of [
    'https://x.example',
    'https://a.x.example',
    'https://inner.example',
    'https://a.inner.example',
    'https://one.example:8443',
    'https://a.one.example:8443',
  ])
    assert.match(seen(excepted, env), /NO_PROXY excludes/, excepted);
  for (const other of [
    'https://inner.example.org',
    'https://box.example',
    'https://10.2.3.4',
    'https://a.star.example',
    'https://one.example',
  ])
    assert.match(seen(other, env), /through p:1/, other);
  assert.match(seen('https://x.example', env, { 'http.noProxy': ['y.example'] }), /through p:1/);
  assert.match(seen('https://y.example', env, { 'http.noProxy': ['y.example'] }), /"http\.noProxy" excludes/);
  assert.match(seen('https://a.example', env, { 'http.proxySupport': 'off' }), /so requests do not use a proxy/);
  assert.match(seen('https://a.example', env, { 'http.proxySupport': 'on' }), /through p:1/);
  assert.match(seen('http://localhost:3000', env), /do not use a proxy/);
  assert.match(seen('https://a.example', {}), /No proxy is set/);
});
