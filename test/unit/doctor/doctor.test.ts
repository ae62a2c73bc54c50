/** Each fault is planted, found at its check, and its fix is named. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { diagnosisText } from '../../../src/core/doctor/diagnosisText.js';
import type { Diagnosis } from '../../../src/core/doctor/doctor.js';
import { diagnose } from '../../../src/core/doctor/doctor.js';
import { english } from '../../../src/core/present/localize.js';
import { headlessHost } from '../../support/headlessHost.js';
import { certificate, privateKey } from '../../support/httpTestCertificate.js';

const odd = (mode: string) => [path.resolve('test/fixtures/servers/odd.mjs'), mode];
let folder: string;
before(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'doctor-'));
  writeFileSync(path.join(folder, 'Server.mjs'), '');
});
after(() => rmSync(folder, { recursive: true, force: true }));

async function diagnosisOf(definition: object, ports: Parameters<typeof headlessHost>[0]['ports'] = {}): Promise<Diagnosis> {
  const { host } = headlessHost({ servers: { sick: definition }, ports });
  await host.open();
  try {
    return await diagnose(host, 'sick', await host.inspect('sick'), { signal: AbortSignal.timeout(30_000), t: english, handshakeMs: 5_000 });
  } finally {
    await host.close();
  }
}

/** The first failure, or remark where there is none. */
function found({ checks }: Diagnosis): { id: string; seen: string; fix: string } | undefined {
  const bad = checks.find(({ outcome }) => outcome === 'failed') ?? checks.find(({ outcome }) => outcome === 'warning');
  return bad && { id: bad.id, seen: bad.seen, fix: bad.fix ?? '' };
}

async function assertFound(definition: object, id: string, seen: RegExp, fix: RegExp): Promise<void> {
  const diagnosis = await diagnosisOf(definition);
  const bad = found(diagnosis);
  assert.equal(bad?.id, id, JSON.stringify(diagnosis.checks, null, 1));
  assert.match(bad?.seen ?? '', seen);
  assert.match(bad?.fix ?? '', fix);
}

async function withServer<T>(server: http.Server | https.Server | net.Server, work: (port: number) => Promise<T>): Promise<T> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await work((server.address() as AddressInfo).port);
  } finally {
    await new Promise((resolve) => {
      server.close(resolve);
      if ('closeAllConnections' in server) server.closeAllConnections();
    });
  }
}

const answering = (status: number, headers: http.OutgoingHttpHeaders = {}, body = ''): RequestListener => (request, response) => {
  request.resume();
  response.writeHead(status, headers).end(body);
};

test('a missing command', () => assertFound({ command: 'uvx-of-nobody' }, 'command', /in none of the \d+ folders of PATH/, /install it/));
test('a known runtime that is missing names what to install', () => assertFound({ command: '/nowhere/uvx' }, 'command', /no program \/nowhere\/uvx/, /Install uv/));
test('a folder that is not there', () => assertFound({ command: 'node', args: odd('ok'), cwd: '/no/such/folder' }, 'folder', /\/no\/such\/folder cannot be entered \(ENOENT\)/, /Correct "cwd"/));
test('a script that is not there', () => assertFound({ command: 'node', args: ['build/index.js'] }, 'files', /no file .*build\/index\.js.*is taken from the folder/, /build the server, or set "cwd"/));
test('a script whose name is nearly right', () => assertFound({ command: 'node', args: ['server.mjs'], cwd: folder }, 'files', /no file/, /Did you mean .*Server\.mjs/));
test('a variable that is not set', () => assertFound({ command: 'node', args: ['${env:NOBODY_SETS_THIS}'] }, 'variables', /NOBODY_SETS_THIS is not set/, /Set NOBODY_SETS_THIS where VS Code is started/));
test('a variable that does not exist', () => assertFound({ command: 'node', args: ['${workspceFolder}'] }, 'variables', /\$\{workspceFolder\}.*no such variable/, /Correct the configuration/));
test('a disabled server', () => assertFound({ command: 'node', args: odd('ok'), disabled: true }, 'configuration', /is disabled/, /Enable Server/));
test('a server that ends with a message', async () => {
  await assertFound({ command: 'node', args: odd('exit-on-start') }, 'handshake', /exited with code 3: cannot find the configuration/, /log/);
});
test('a server that hangs', () => assertFound({ command: 'node', args: odd('never-initialize'), startTimeoutMs: 300 }, 'handshake', /did not answer initialize/, /raise its time-out/));
test('a server that prints something else than the protocol', () => {
  writeFileSync(path.join(folder, 'garbage.mjs'), "setInterval(() => console.log('Hello, I am a web server'), 20);");
  return assertFound({ command: 'node', args: [path.join(folder, 'garbage.mjs')], startTimeoutMs: 400 }, 'handshake', /did not answer initialize/, /standard output that is not MCP/);
});
test('a runtime that does not answer with a version', () => {
  const file = path.join(folder, 'node');
  writeFileSync(file, '#!/bin/sh\necho broken >&2\nexit 3\n', { mode: 0o755 });
  return assertFound({ command: file, args: odd('ok') }, 'runtime', /ended with code 3: broken/, /in a terminal/);
});

test('a port that is closed', async () => {
  const port = await withServer(net.createServer(), (free) => Promise.resolve(free));
  await assertFound({ url: `http://127.0.0.1:${port}/mcp` }, 'port', /Nothing listens at 127\.0\.0\.1/, /correct the port/);
});
test('a name that does not exist', () => assertFound({ url: 'https://no-such-host.invalid/mcp' }, 'name', /no-such-host\.invalid could not be resolved/, /spelling of the host/));
test('a certificate that nobody trusts', () =>
  withServer(https.createServer({ key: privateKey, cert: certificate }, answering(200)), (port) => assertFound({ url: `https://127.0.0.1:${port}/mcp` }, 'certificate', /not trusted \(\w+\)/, /"caFile"/)));
test('plain http where https is asked for', () => withServer(http.createServer(answering(200)), (port) => assertFound({ url: `https://127.0.0.1:${port}/mcp` }, 'certificate', /secure connection failed/, /write http:\/\//)));
test('a path without a server', () => withServer(http.createServer(answering(404, {}, 'nope')), (port) => assertFound({ url: `http://127.0.0.1:${port}/wrong` }, 'http', /status 404.*\/wrong.*nope/, /under \/mcp or \/sse/)));
test('a server that wants a sign-in and does not say where', () => withServer(http.createServer((request, response) => answering(request.url?.startsWith('/.well-known') ? 404 : 401, { 'WWW-Authenticate': 'Bearer' })(request, response)), (port) => assertFound({ url: `http://127.0.0.1:${port}/mcp` }, 'sign-in', /does not say where/, /"headers"/)));
test('a server that wants a sign-in and says where', async () => {
  const server = http.createServer((request, response) => (request.url === '/.well-known/oauth-protected-resource/mcp' ? answering(200, { 'Content-Type': 'application/json' }, '{"authorization_servers":["https://login.example"]}') : answering(401, { 'WWW-Authenticate': 'Bearer' }))(request, response));
  await withServer(server, async (port) => {
    const { checks } = await diagnosisOf({ url: `http://127.0.0.1:${port}/mcp`, oauth: false });
    const signIn = checks.find(({ id }) => id === 'sign-in');
    assert.match(signIn?.seen ?? '', /https:\/\/login\.example/);
    assert.match(signIn?.fix ?? '', /Sign In/);
  });
});
test('a sign-in that leads to another host is told and not followed', () =>
  withServer(http.createServer(answering(401, { 'WWW-Authenticate': 'Bearer resource_metadata="http://169.254.169.254/latest"' })), async (port) => {
    const { checks } = await diagnosisOf({ url: `http://127.0.0.1:${port}/mcp`, oauth: false });
    assert.match(checks.find(({ id }) => id === 'sign-in')?.seen ?? '', /another host, 169\.254\.169\.254/);
  }));
test('a web page instead of a server', () => withServer(http.createServer(answering(200, { 'Content-Type': 'text/html' }, '<html>')), (port) => assertFound({ url: `http://127.0.0.1:${port}/mcp` }, 'http', /web page/, /Check the address/)));
test('a fault of the server', () => withServer(http.createServer(answering(502)), (port) => assertFound({ url: `http://127.0.0.1:${port}/mcp` }, 'http', /status 502/, /log of the server/)));

test('a healthy server has nothing wrong, and the text says so', async () => {
  const diagnosis = await diagnosisOf({ command: 'node', args: odd('ok') });
  assert.equal(found(diagnosis), undefined, JSON.stringify(diagnosis.checks));
  assert.deepEqual(diagnosis.checks.map(({ id }) => id), ['configuration', 'trust', 'variables', 'folder', 'command', 'files', 'runtime', 'handshake', 'lists']);
  assert.match(diagnosisText('sick', diagnosis, english), /^Diagnosis of "sick"\n\nNothing is wrong\.\n/);
});

test('[D2] without approval nothing is run, contacted or looked at', async () => {
  let connections = 0;
  await withServer(net.createServer(() => connections++), async (port) => {
    const trust = { isWorkspaceTrusted: () => false, onDidGrantTrust: () => ({ dispose: () => undefined }), confirmStart: () => Promise.resolve('allow' as const) };
    const remote = await diagnosisOf({ url: `http://127.0.0.1:${port}/mcp` }, { trust });
    const marker = path.join(folder, 'ran');
    const script = path.join(folder, 'python3');
    writeFileSync(script, `#!/bin/sh\ntouch ${marker}\n`, { mode: 0o755 });
    const local = await diagnosisOf({ command: script, args: odd('ok') }, { trust });
    assert.deepEqual([connections, found(remote)?.id, found(local)?.id, local.checks.at(-1)?.id, local.checks.at(-1)?.outcome], [0, 'trust', 'trust', 'variables', 'skipped']);
    assert.throws(() => rmSync(marker));
  });
});

test('secrets are masked in the text', async () => {
  writeFileSync(path.join(folder, 'leaks.mjs'), "console.error('bad token ' + process.env.API_TOKEN); process.exit(1);");
  const diagnosis = await diagnosisOf({ command: 'node', args: [path.join(folder, 'leaks.mjs')], env: { API_TOKEN: 'hunter2-hunter2' } });
  const text = diagnosisText('sick', diagnosis, english);
  assert.ok(text.includes('bad token •••') && !text.includes('hunter2'), text);
});

test('a cancelled diagnosis ends at once with what was seen', async () => {
  const { host } = headlessHost({ servers: { sick: { command: 'node', args: odd('never-initialize') } } });
  await host.open();
  const controller = new AbortController();
  const { checks } = await diagnose(host, 'sick', await host.inspect('sick'), { signal: controller.signal, t: english, onStep: (id) => id === 'handshake' && controller.abort() });
  assert.equal(checks.at(-1)?.id, 'runtime');
  await host.close();
});
