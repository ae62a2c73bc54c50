import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { Deferred } from '../../../src/core/base/deferred.js';
import { StreamTransport } from '../../support/streamTransport.js';
import type { Message } from './peers.js';
import { sampleServer } from './peers.js';

test('a server communicates over a pair of streams, one message per line, until its input ends', async () => {
  const { server, log } = sampleServer();
  const input = new PassThrough();
  const output = new PassThrough();
  const closed = new Deferred<void>();
  await server.connect(new StreamTransport(input, output), () => closed.resolve());
  const lines = output.setEncoding('utf8')[Symbol.asyncIterator]() as AsyncIterator<string>;
  const next = async (): Promise<Message> => JSON.parse((await lines.next()).value as string) as Message;
  const request = JSON.stringify({ jsonrpc: '2.0', id: 'ü', method: 'ping' });
  const bytes = Buffer.from(`hello\n\n${request}\r\n`);
  for (const byte of bytes) input.write(Buffer.from([byte]));
  assert.deepEqual(await next(), { jsonrpc: '2.0', id: 'ü', result: {} });
  assert.match(log.join('\n'), /not JSON: hello/);
  input.end();
  await closed.promise;
  assert.equal(server.connectionCount, 0);
  server.dispose();
});

test('an endless line and a disconnected reader end the connection, not the process', async () => {
  for (const breakIt of [
    (input: PassThrough) => void input.write('x'.repeat(2_000)),
    (_input: PassThrough, output: PassThrough) => void output.destroy(new Error('gone')),
  ]) {
    const { server } = sampleServer();
    const input = new PassThrough();
    const output = new PassThrough();
    const closed = new Deferred<void>();
    await server.connect(new StreamTransport(input, output, 1_000), () => closed.resolve());
    breakIt(input, output);
    await closed.promise;
    server.dispose();
  }
});
