/** Each fault of a remote server is planted, and the test checks that it is found at its check with its fix. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { describe, test } from 'node:test';
import { certificate, expiredCertificate, privateKey } from '../../support/httpTestCertificate.js';
import { WsTestServer } from '../../support/wsTestServer.js';
import {
  answering,
  assertFound,
  assertIs,
  checkOf,
  diagnosisOf,
  found,
  machine,
  speakingMcp,
  withServer,
} from './diagnosing.js';

const plain = (listener: http.RequestListener) => http.createServer(listener);
const secure = (listener: http.RequestListener, cert = certificate) =>
  https.createServer({ key: privateKey, cert }, listener);
const at = (port: number, place = '/mcp') => ({ url: `http://127.0.0.1:${port}${place}` });

describe('the doctor reports problems of remote servers', { concurrency: 8 }, () => {
  test('an invalid address', () =>
    assertFound(
      { url: '${env:WHERE}' },
      'address',
      /the scheme "gopher:" is not supported/,
      /Correct the field "url"/,
      {
        machine: machine({ env: { WHERE: 'gopher://127.0.0.1/mcp' } }),
      },
    ));
  test('a name that does not exist', () =>
    assertFound(
      { url: 'https://no-such-host.invalid/mcp' },
      'name',
      /no-such-host\.invalid could not be resolved/,
      /spelling of the host.*"http\.proxy"/,
    ));
  test('a port that is closed', async () => {
    const port = await withServer(net.createServer(), (free) => Promise.resolve(free));
    await assertFound(at(port), 'port', /No program listens at 127\.0\.0\.1/, /correct the port/);
  });
  test('a port that drops packets', async () => {
    // Stopped with a short queue: the system accepts two connections for it and drops further ones.
    const script =
      "const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => process.stdout.write(String(server.address().port), () => process.kill(process.pid, 'SIGSTOP')))";
    const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    const fillers: net.Socket[] = [];
    try {
      const port = Number(
        await new Promise<string>((resolve) => child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString()))),
      );
      for (let taken = 0; taken < 2; taken++) {
        const filler = net.connect(port, '127.0.0.1').on('error', () => undefined);
        fillers.push(filler);
        await new Promise((resolve) => filler.once('connect', resolve));
      }
      await assertFound(
        at(port),
        'port',
        /There was no response at 127\.0\.0\.1, port \d+ within 1\.5 seconds/,
        /A firewall might drop the connection/,
        {},
        { stepMs: 1_500 },
      );
    } finally {
      fillers.forEach((filler) => filler.destroy());
      child.kill('SIGKILL');
    }
  });
  test('a missing socket', () =>
    assertFound(
      { url: 'unix:///tmp/no-such-socket-of-mcp-deck.sock#/mcp' },
      'port',
      /There is no socket at unix:\/\//,
      /correct the path/,
    ));

  test('a raw socket that is missing or silent, but not one that works', async () => {
    await assertFound(
      { type: 'socket', url: 'unix:///tmp/no-such-socket-of-mcp-deck.sock' },
      'port',
      /There is no socket at unix:\/\//,
      /correct the path/,
    );
    const folder = mkdtempSync(path.join(os.tmpdir(), 'doctor-'));
    const file = path.join(folder, 'x.sock');
    const connections: net.Socket[] = [];
    const server = net.createServer((socket) => connections.push(socket));
    let reply: (line: string) => string | undefined = () => undefined;
    server.on('connection', (socket: net.Socket) =>
      createInterface(socket).on('line', (line) => void socket.write(reply(line) ?? '')),
    );
    await new Promise<void>((resolve) => server.listen(file, resolve));
    try {
      await assertFound(
        { type: 'socket', url: `unix://${file}`, startTimeoutMs: 500 },
        'handshake',
        /did not respond/,
        /./,
      );
      reply = (line) => {
        const { id, method, params } = JSON.parse(line) as {
          id?: number;
          method: string;
          params?: { protocolVersion?: string };
        };
        if (id === undefined) return undefined;
        if (method === 'initialize')
          return `${JSON.stringify({ jsonrpc: '2.0', id, result: { protocolVersion: params?.protocolVersion, capabilities: {}, serverInfo: { name: 'x', version: '1' } } })}\n`;
        return `${JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'unknown' } })}\n`;
      };
      const { checks } = await diagnosisOf({ type: 'socket', url: `unix://${file}` });
      assert.deepEqual(
        checks.map(({ id, outcome }) => `${id} ${outcome}`),
        [
          'configuration ok',
          'trust ok',
          'variables ok',
          'address ok',
          'proxy skipped',
          'port ok',
          'handshake ok',
          'lists warning',
        ],
      );
    } finally {
      for (const socket of connections) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true });
    }
  });

  test('a self-signed certificate, and one that is configured for it', () =>
    withServer(secure(speakingMcp()), async (port) => {
      const url = `https://127.0.0.1:${port}/mcp`;
      await assertFound(
        { url },
        'certificate',
        /for MCP Deck test.*not trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\)/,
        /self-signed\. Save this certificate as a PEM file, and specify the file in "caFile"/,
      );
      const healthy = await diagnosisOf(
        { url, caFile: '/ca.pem' },
        { machine: machine({ files: { '/ca.pem': certificate } }) },
      );
      assert.equal(found(healthy), undefined, JSON.stringify(healthy.checks));
    }));
  test('a certificate file of another authority, and one without a certificate', () =>
    withServer(secure(answering(200)), async (port) => {
      const definition = { url: `https://127.0.0.1:${port}/mcp`, caFile: '/ca.pem' };
      await assertFound(
        definition,
        'certificate',
        /not trusted/,
        /"caFile" did not sign the certificate of the server/,
        {
          machine: machine({ files: { '/ca.pem': expiredCertificate } }),
        },
      );
      await assertFound(
        definition,
        'variables',
        /"caFile" of "sick" contains no certificate/,
        /must be in PEM format/,
        {
          machine: machine({ files: { '/ca.pem': 'MIIB' } }),
        },
      );
    }));
  test('a certificate that has expired', () =>
    withServer(secure(answering(200), expiredCertificate), (port) =>
      assertFound(
        { url: `https://127.0.0.1:${port}/mcp`, caFile: '/ca.pem' },
        'certificate',
        /until Jan 1 00:00:00 2021 GMT\. The certificate is not trusted \(CERT_HAS_EXPIRED\)/,
        /has expired\. The operator of the server must renew it/,
        { machine: machine({ files: { '/ca.pem': expiredCertificate } }) },
      ),
    ));
  test('a certificate file that is missing', () =>
    assertFound(
      { url: 'https://127.0.0.1/mcp', caFile: 'certs/ca.pem' },
      'variables',
      /"caFile" of "sick" could not be read.*certs\/ca\.pem/,
      /Correct the path/,
    ));
  test('plain http where https is expected', () =>
    withServer(plain(answering(200)), (port) =>
      assertFound({ url: `https://127.0.0.1:${port}/mcp` }, 'certificate', /secure connection failed/, /use http:\/\//),
    ));
  test('a server that accepts the connection and stays silent', () =>
    withServer(
      net.createServer((socket) => socket.on('error', () => undefined).resume()),
      async (port) => {
        await assertFound(
          at(port),
          'http',
          /The request failed: there was no response within 1\.5 seconds/,
          /the server's own log/,
          {},
          { stepMs: 1_500 },
        );
        await assertFound(
          { url: `https://127.0.0.1:${port}/mcp` },
          'certificate',
          /not established within 1\.5 seconds/,
          /something other than HTTPS/,
          {},
          { stepMs: 1_500 },
        );
      },
    ));

  test('a path without a server', () =>
    withServer(plain(answering(404, {}, 'nope')), (port) =>
      assertFound(at(port, '/wrong'), 'http', /status 404.*\/wrong.*nope/, /at \/mcp or \/sse/),
    ));
  test('a web page instead of a server', () =>
    withServer(plain(answering(200, { 'Content-Type': 'text/html' }, '<html>')), (port) =>
      assertFound(at(port), 'http', /web page/, /Check "url"/),
    ));
  test('an error of the server', () =>
    withServer(plain(answering(502)), (port) => assertFound(at(port), 'http', /status 502/, /the server's own log/)));
  test('access that is refused, and a server that repeats the token', () =>
    withServer(
      plain((request, response) =>
        answering(
          403,
          {},
          `no place for ${request.headers.authorization ?? 'nobody'} ${'x'.repeat(108)} ${request.headers.authorization ?? ''}`,
        )(request, response),
      ),
      async (port) => {
        await assertFound(
          at(port),
          'http',
          /status 403 and refuses access\. The response says: no place for nobody/,
          /Add a token to "headers", or sign in with another account/,
        );
        const diagnosis = await diagnosisOf({ ...at(port), headers: { Authorization: 'Bearer hunter2-hunter2' } });
        assertIs(diagnosis, 'http', /status 403/, /Check the token in "headers"/);
        assert.doesNotMatch(JSON.stringify(diagnosis), /hunter2/);
      },
    ));
  test('an intermediate proxy that requires a sign-in', () =>
    withServer(plain(answering(407)), (port) => assertFound(at(port), 'http', /status 407/, /"http\.proxy"/)));
  test('a redirect to another origin is reported and not followed', async () => {
    let visits = 0;
    await withServer(
      plain((request, response) => answering(200)(request, (visits++, response))),
      (elsewhere) =>
        withServer(plain(answering(308, { location: `http://127.0.0.1:${elsewhere}/mcp?key=1` })), (port) =>
          assertFound(
            at(port),
            'http',
            /the redirect \(status 308\): the server redirects to another origin, http:\/\/127\.0\.0\.1:\d+\.$/,
            /If you trust this URL, set "url" to http:\/\/127\.0\.0\.1:\d+\/mcp/,
          ),
        ),
    );
    assert.equal(visits, 0);
  });
  test('a redirect within the origin is followed, as a start follows it', () => {
    const answer = speakingMcp();
    const moved = plain((request, response) =>
      (request.url === '/mcp/' ? answer : answering(307, { location: '/mcp/' }))(request, response),
    );
    return withServer(moved, async (port) =>
      assert.deepEqual(
        (await diagnosisOf(at(port))).checks.filter(({ outcome }) => outcome === 'failed'),
        [],
      ),
    );
  });
  test('a server that refuses the first request but works is not reported as a failure', () => {
    const strict = speakingMcp({}, (request, response) => {
      const mayPass =
        request.headers['mcp-session-id'] !== undefined ||
        request.headers['mcp-protocol-version'] !== undefined ||
        Number(request.headers['content-length']) > 60;
      if (!mayPass) response.writeHead(404).end('no session');
      return mayPass;
    });
    return withServer(plain(strict), async (port) => {
      const diagnosis = await diagnosisOf(at(port));
      assert.deepEqual(
        [checkOf(diagnosis, 'http').outcome, checkOf(diagnosis, 'handshake').outcome],
        ['warning', 'ok'],
        JSON.stringify(diagnosis.checks),
      );
    });
  });

  test('a WebSocket server, and one that refuses the sub-protocol', async () => {
    const result = (message: { id?: number; method: string }) =>
      message.method === 'initialize'
        ? { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'ws', version: '1' } }
        : { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] };
    const good = await WsTestServer.start({
      onMessage: (message, socket) =>
        message.id !== undefined &&
        socket.send(
          JSON.stringify({
            jsonrpc: '2.0',
            id: message.id,
            ...(message.method === 'server/discover'
              ? { error: { code: -32601, message: 'no' } }
              : { result: result(message) }),
          }),
        ),
    });
    const healthy = await diagnosisOf({ url: good.url });
    assert.match(checkOf(healthy, 'http').seen, /opens a WebSocket with the subprotocol "mcp"/);
    assert.equal(found(healthy), undefined, JSON.stringify(healthy.checks));
    await good.close();
    const bad = await WsTestServer.start({ server: { handleProtocols: () => false } });
    await assertFound({ url: bad.url }, 'http', /does not accept the subprotocol "mcp"/, /must accept "mcp"/);
    await bad.close();
    await withServer(plain(answering(426, {}, 'speak http')), (port) =>
      assertFound(
        { url: `ws://127.0.0.1:${port}/mcp` },
        'http',
        /status 426 instead of opening a WebSocket. The response says: speak http/,
        /begin the URL with http:\/\//,
      ),
    );
  });
  test('a WebSocket in plain text to another machine', () =>
    withServer(net.createServer(), (port) =>
      assertFound(
        { url: `ws://[::ffff:127.0.0.1]:${port}/mcp` },
        'certificate',
        /MCP Deck allows ws:\/\/ only for this machine/,
        /Use wss:\/\//,
      ),
    ));

  test('a list that fails', () => {
    const initialize = {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {}, prompts: {} },
      serverInfo: { name: 'small', version: '1' },
    };
    return withServer(plain(speakingMcp({ initialize })), (port) =>
      assertFound(
        at(port),
        'lists',
        /The server offers 1 tool, 0 resources, 0 prompts\. Prompts could not be listed: Method not found \(code -32601\)/,
        /Some lists or items could not be loaded completely\. For details, see the log of the server/,
      ),
    );
  });
  test('empty lists', () =>
    withServer(plain(speakingMcp({ 'tools/list': { tools: [] } })), (port) =>
      assertFound(at(port), 'lists', /The server offers nothing/, /need arguments or a sign-in/),
    ));

  test('[D2] without approval a remote server is not contacted', async () => {
    let connections = 0;
    await withServer(
      net.createServer(() => connections++),
      async (port) => {
        const trust = {
          isWorkspaceTrusted: () => false,
          onDidGrantTrust: () => ({ dispose: () => undefined }),
          confirmStart: () => Promise.resolve('allow' as const),
        };
        const diagnosis = await diagnosisOf(at(port), { trust });
        assert.deepEqual(
          [connections, found(diagnosis)?.id, diagnosis.checks.at(-1)?.outcome],
          [0, 'trust', 'skipped'],
        );
      },
    );
  });
});
