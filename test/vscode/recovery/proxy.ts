import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { farCertificate } from '../../support/httpTestCertificate.js';
import { startProtectedServer } from '../../support/protectedMcp.js';
import { ProxyServer } from '../../support/proxyServer.js';
import type { RemoteEcho, RemoteEchoOptions, RemoteKind } from '../../support/remoteEcho.js';
import { startRemoteEcho } from '../../support/remoteEcho.js';
import { afterAll, afterEach, beforeAll, suite, test } from '../runner.js';
import { command, defineServers, textOf } from '../support/host.js';

/** A name that only the proxy can reach. */
const farHost = 'far.test';
/** An address of this machine that VS Code does not recognize as local. */
const otherHost = '127.0.0.2';

/** Responses that a remote server may compress: answers and messages, not an endless event stream. */
const offers: Record<RemoteKind, [encodings: string | undefined, extension: string]> = {
  http: ['gzip, br', ''],
  sse: [undefined, ''],
  ws: [undefined, 'permessage-deflate'],
};

suite('the proxy that VS Code is configured to use', () => {
  let folder = '';
  let caFile = '';
  let server: RemoteEcho | undefined;
  let proxy: ProxyServer;
  let undo: (() => Promise<void>) | undefined;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'deck-proxy-'));
    caFile = path.join(folder, 'authority.pem');
    await writeFile(caFile, farCertificate);
  });
  afterEach(tidy);
  afterAll(() => rm(folder, { recursive: true }));

  async function tidy(): Promise<void> {
    await command('mcpDeck.stopServer', { server: 'far' });
    await setting('proxy', undefined);
    await setting('noProxy', undefined);
    await setting('proxySupport', undefined);
    await undo?.();
    undo = undefined;
    await proxy.stop();
    await server?.close();
    server = undefined;
  }

  async function setting(name: string, value: unknown): Promise<void> {
    await vscode.workspace.getConfiguration('http').update(name, value, vscode.ConfigurationTarget.Global);
  }

  /** A server on this machine, defined under the name that the proxy knows. */
  async function define(kind: RemoteKind, host: string, options: RemoteEchoOptions = {}): Promise<RemoteEcho> {
    const started = (server = await startRemoteEcho(kind, options));
    proxy = await ProxyServer.start({ routes: { [farHost]: started.port, [otherHost]: started.port } });
    await setting('proxy', proxy.url);
    const scheme = `${kind === 'ws' ? 'ws' : 'http'}${options.certificate === undefined ? '' : 's'}`;
    undo = await defineServers({
      far: {
        type: kind,
        url: `${scheme}://${host}:${started.port}/mcp`,
        protocol: 'legacy',
        ...(options.certificate === undefined ? {} : { caFile }),
      },
    });
    return started;
  }

  async function assertAnswers(): Promise<void> {
    assert.equal(
      textOf(await command('mcpDeck.runTool', { server: 'far', tool: 'echo', arguments: { text: 'far away' } })),
      'far away',
    );
    assert.deepEqual(server?.calls, ['far away']);
  }

  /** The doctor's report about the proxy; asserts that it finds no problem. */
  async function assertDoctorSays(proxyLine: RegExp): Promise<void> {
    const text = await command<string>('mcpDeck.diagnoseServer', { server: 'far' });
    assert.match(text, /No problems were found\./);
    assert.match(text, proxyLine);
  }

  for (const kind of ['http', 'sse', 'ws'] as const) {
    test(`[H10] ${kind} over TLS, with a private certificate authority, uses a tunnel`, async () => {
      const far = await define(kind, farHost, { certificate: farCertificate });
      await assertAnswers();
      assert.deepEqual([...new Set(proxy.requests)], [`CONNECT ${farHost}:${far.port}`]);
      const { 'accept-encoding': encodings, 'sec-websocket-extensions': extensions = '' } = far.firstHeaders() ?? {};
      assert.deepEqual([encodings, extensions.split(';')[0]], offers[kind]);
      if (kind !== 'sse')
        await assertDoctorSays(
          /✓ {2}Proxy +Requests go through 127\.0\.0\.1:\d+, which is set by the setting "http\.proxy"\./,
        );
    });
  }

  for (const kind of ['http', 'sse'] as const) {
    test(`${kind} without TLS is forwarded`, async () => {
      const { port } = await define(kind, farHost);
      await assertAnswers();
      assert.ok(
        proxy.requests.includes(`POST http://${farHost}:${port}/${kind === 'sse' ? 'messages' : 'mcp'}`),
        proxy.requests.join('\n'),
      );
    });
  }

  for (const kind of ['http', 'ws'] as const) {
    test(`[H10] ${kind}: a host in "http.noProxy" is reached without the proxy`, async () => {
      await define(kind, otherHost, { host: otherHost });
      await setting('noProxy', [otherHost]);
      await assertAnswers();
      assert.deepEqual(proxy.requests, []);
      if (kind === 'http')
        await assertDoctorSays(/✓ {2}Proxy +A proxy is set, but the setting "http\.noProxy" excludes this host\./);
    });
  }

  test('this machine is reached without the proxy', async () => {
    await define('http', '127.0.0.1');
    await assertAnswers();
    assert.deepEqual(proxy.requests, []);
    await assertDoctorSays(/– {2}Proxy +Connections to this machine do not use a proxy\./);
  });

  for (const kind of ['http', 'ws'] as const) {
    test(`${kind}: the proxy is used when "http.proxySupport" is "on"`, async () => {
      const { port } = await define(kind, farHost, { certificate: farCertificate });
      await setting('proxySupport', 'on');
      await assertAnswers();
      assert.deepEqual([...new Set(proxy.requests)], [`CONNECT ${farHost}:${port}`]);
      if (kind === 'http') await assertDoctorSays(/✓ {2}Proxy +Requests go through 127\.0\.0\.1:\d+/);
    });
  }

  test('[H10] a sign-in uses the proxy, with the certificate authorities of its server', async () => {
    const vault = await startProtectedServer({}, { host: farHost, certificate: farCertificate });
    vault.clients.set('robot', { secret: 'robot-secret', redirectUris: [] });
    proxy = await ProxyServer.start({ routes: { [farHost]: 'same' } });
    await setting('proxy', proxy.url);
    undo = await defineServers({
      far: {
        type: 'http',
        url: vault.url,
        caFile,
        oauth: { grant: 'client-credentials', clientId: 'robot', clientSecret: 'robot-secret' },
      },
    });
    try {
      assert.equal(
        textOf(await command('mcpDeck.runTool', { server: 'far', tool: 'whoami', arguments: {} })),
        'whoami with files:read',
      );
      assert.equal(vault.grants('client_credentials').length, 1);
      assert.deepEqual(
        new Set(proxy.requests),
        new Set([vault.origin, vault.issuer].map((origin) => `CONNECT ${new URL(origin).host}`)),
      );
      await assertDoctorSays(/✓ {2}Proxy +Requests go through/);
    } finally {
      await vault.stop();
    }
  });
});
