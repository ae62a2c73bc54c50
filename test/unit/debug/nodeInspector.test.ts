import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { createGzip } from 'node:zlib';
import { Deferred } from '../../../src/core/base/deferred.js';
import { isLauncher } from '../../../src/core/debug/nodeInspector.js';

/** A port on which a program answers requests for the list of an inspector. */
async function inspector(t: TestContext, answer: (response: http.ServerResponse) => void) {
  const server = http.createServer((_request, response) => answer(response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { port, url: `ws://127.0.0.1:${port}/` };
}

test('a process is a launcher by the script in the list of its inspector', async (t) => {
  for (const [script, expected] of [
    ['file:///x/tsx/dist/cli.mjs', true],
    ['file:///x/server.mjs', false],
  ] as const) {
    const address = await inspector(t, (response) => response.end(JSON.stringify([{ url: script }])));
    assert.equal(await isLauncher(address), expected);
  }
});

test('a list that does not end is read up to the limit only, also if it is compressed', async (t) => {
  const isClosed = new Deferred<void>();
  const address = await inspector(t, (response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' });
    const body = createGzip({ level: 1 });
    const more = () => {
      body.write(Buffer.alloc(65_536, ' '), (error) => {
        if (!error) setImmediate(more);
      });
    };
    response.once('close', () => {
      body.destroy();
      isClosed.resolve();
    });
    body.on('error', () => undefined).pipe(response);
    more();
  });
  await assert.rejects(isLauncher(address), /too long/);
  await isClosed.promise;
});
