import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import type { BundleDownload } from '../../../../src/core/gallery/bundles/bundleDownload.js';
import { BundleError } from '../../../../src/core/gallery/bundles/bundleError.js';
import type { BundleProblem } from '../../../../src/core/gallery/bundles/bundleError.js';
import { BundleStore } from '../../../../src/core/gallery/bundles/bundleStore.js';
import { bundleFiles, zipBytes } from '../../../support/zipBytes.js';

const bytes = zipBytes(bundleFiles());
const sha256 = createHash('sha256').update(bytes).digest('hex');
const root = mkdtempSync(path.join(tmpdir(), 'bundle-download-'));
const store = new BundleStore(root, 'linux');

/** What the server does for a path. */
const answers: Record<string, (response: ServerResponse) => void> = {
  '/ok': (response) => response.end(bytes),
  '/other-host': (response) => response.writeHead(302, { location: `http://localhost:${port()}/ok` }).end(),
  '/relative': (response) => response.writeHead(307, { location: 'ok?x=1' }).end(),
  '/loop': (response) => response.writeHead(302, { location: '/loop' }).end(),
  '/ftp': (response) => response.writeHead(302, { location: 'ftp://127.0.0.1/x' }).end(),
  '/plain': (response) => response.writeHead(302, { location: 'http://files.example.org/x' }).end(),
  '/missing': (response) => response.writeHead(404).end('no'),
  '/huge': (response) => void response.writeHead(200, { 'content-length': '600000000' }).write('x'),
  '/cut': (response) => {
    response.writeHead(200, { 'content-length': String(bytes.length) });
    response.write(bytes.subarray(0, 50), () => response.destroy());
  },
  '/silent': () => undefined,
  '/stops': (response) => void response.writeHead(200).write(bytes.subarray(0, 50)),
  '/encoded': (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('x'),
};
let requests: { host: string; path: string; headers: IncomingHttpHeaders }[] = [];
const server = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? '', 'http://x');
  requests.push({ host: request.headers.host ?? '', path: request.url ?? '', headers: request.headers });
  answers[pathname]?.(response);
});
const port = () => (server.address() as AddressInfo).port;

before(() => new Promise<void>((resolve) => server.listen(0, resolve)));
after(() => {
  server.closeAllConnections();
  server.close();
  rmSync(root, { recursive: true, force: true });
});

const download = (name: string, more: Partial<BundleDownload> = {}) => {
  requests = [];
  return store.download({ url: `http://127.0.0.1:${port()}${name}`, sha256, label: 'io.example/little', ...more });
};

test('[BN6] a file with the published digest is downloaded, and its bytes are reported', async () => {
  const counts: number[] = [];
  const staged = await download('/ok', { onBytes: (count) => counts.push(count), headers: { 'x-token': 'secret' } });
  assert.deepEqual([staged.sha256, staged.info.name, counts.at(-1)], [sha256, 'little', bytes.length]);
  assert.equal(requests[0]?.headers['x-token'], 'secret');
  await staged.dispose();
  assert.deepEqual(readdirSync(root), []);
});

test('[BN6] a redirect to another host receives no header of the user', async () => {
  const staged = await download('/other-host', { headers: { 'x-token': 'secret', authorization: 'Bearer secret' } });
  await staged.dispose();
  const [first, second] = requests;
  assert.deepEqual([first?.headers['x-token'], first?.headers.authorization], ['secret', 'Bearer secret']);
  assert.equal(second?.host, `localhost:${port()}`);
  assert.deepEqual([second.headers['x-token'], second.headers.authorization], [undefined, undefined]);
});

test('[BN6] a redirect within the host keeps the headers', async () => {
  const staged = await download('/relative', { headers: { 'x-token': 'secret' } });
  await staged.dispose();
  assert.deepEqual(
    requests.map(({ path: asked, headers }) => [asked, headers['x-token']]),
    [
      ['/relative', 'secret'],
      ['/ok?x=1', 'secret'],
    ],
  );
});

const failures: [
  name: string,
  path: string,
  more: Partial<BundleDownload>,
  BundleProblem,
  message: RegExp,
  requests: number,
][] = [
  ['another digest', '/ok', { sha256: 'a'.repeat(64) }, 'wrong-digest', /differs from the one that was published/, 1],
  ['no digest', '/ok', { sha256: undefined }, 'no-digest', /gives no SHA-256 digest/, 0],
  ['an unencrypted URL', '', { url: 'http://files.example.org/x' }, 'bad-address', /over HTTPS only/, 0],
  ['a text that is no URL', '', { url: 'javascript:alert(1)' }, 'bad-address', /over HTTPS only/, 0],
  ['a file of this machine', '', { url: 'file:///etc/passwd' }, 'bad-address', /over HTTPS only/, 0],
  ['a password in the URL', '', { url: 'https://a:b@127.0.0.1/x' }, 'bad-address', /HTTPS only/, 0],
  ['a redirect without encryption', '/plain', {}, 'bad-address', /http:\/\/files\.example\.org cannot be used/, 1],
  ['a redirect to another protocol', '/ftp', {}, 'bad-address', /cannot be used/, 1],
  ['redirects without end', '/loop', {}, 'download-failed', /more than 5 redirects/, 6],
  ['a missing file', '/missing', {}, 'download-failed', /The download failed \(HTTP 404\)/, 1],
  ['a file that is too large', '/huge', {}, 'file-too-large', /larger than 500 MB/, 1],
  ['a file that is cut off', '/cut', {}, 'download-failed', /The download failed/, 1],
  ['an encoding that was not asked for', '/encoded', {}, 'download-failed', /HTTP 200/, 1],
  [
    'a server that does not answer',
    '/silent',
    { idleMs: 50 },
    'download-silent',
    /from 127\.0\.0\.1:\d+ took too long/,
    1,
  ],
  ['a server that stops', '/stops', { idleMs: 50 }, 'download-silent', /took too long/, 1],
  ['a download that takes too long', '/stops', { totalMs: 50 }, 'download-silent', /took too long/, 1],
];

for (const [name, asked, more, problem, message, count] of failures)
  test(`[BN6] a download is refused and leaves nothing behind: ${name}`, async () => {
    await assert.rejects(download(asked, more), (error) => {
      assert.ok(error instanceof BundleError, String(error));
      assert.equal(error.problem, problem, error.message);
      assert.match(error.message, message);
      assert.match(error.message, /^"io\.example\/little" was not installed: /);
      return true;
    });
    // With a limit of 50 ms, a busy machine may end a download before its request is sent.
    if (more.idleMs === undefined && more.totalMs === undefined) assert.equal(requests.length, count);
    assert.deepEqual(readdirSync(root), []);
  });

test('[BN6] a download that is canceled between the answer and the first read ends', async () => {
  const abort = new AbortController();
  const onAnswer = () => process.nextTick(() => abort.abort(new Error('stop')));
  const channel = 'http.client.response.finish';
  subscribe(channel, onAnswer);
  try {
    await assert.rejects(download('/stops', { signal: abort.signal }), /stop/);
  } finally {
    unsubscribe(channel, onAnswer);
  }
  assert.deepEqual(readdirSync(root), []);
});

test('[BN6] a canceled download ends with the reason, and leaves nothing behind', async () => {
  const abort = new AbortController();
  const onBytes = () => abort.abort(new Error('stop'));
  await assert.rejects(download('/stops', { signal: abort.signal, onBytes }), /stop/);
  await assert.rejects(download('/ok', { signal: AbortSignal.abort(new Error('before')) }), /before/);
  assert.deepEqual(readdirSync(root), []);
});
