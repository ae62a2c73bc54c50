/**
 * Measures the memory of the server half for one request with a body in chunks of one byte:
 *
 *   node frontMemoryChild.mjs <number of bytes> <maxBodyBytes>
 *
 * Prints as JSON the status and the memory growth of this process.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { HttpFront } from '../../src/core/serving/httpFront.js';
import { sampleServer } from '../unit/serving/peers.js';

const [count = 0, maxBodyBytes = 0] = process.argv.slice(2).map(Number);
const perWrite = 8_192;
const { server } = sampleServer();
const front = new HttpFront({ server, maxBodyBytes });
const { port } = await front.listen();
const socket = connect(port, '127.0.0.1');
socket.on('error', () => undefined);
const answer = once(socket, 'data') as Promise<[Buffer]>;
await once(socket, 'connect');
const before = process.memoryUsage.rss();
socket.write(
  `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n`,
);
const chunks = Buffer.from('1\r\n1\r\n'.repeat(perWrite));
for (let sent = 0; sent < count && !socket.destroyed; sent += perWrite)
  await new Promise<void>((resolve) => void socket.write(chunks, () => resolve()));
socket.write('0\r\n\r\n');
const [head] = await answer;
// `maxRSS` is in KiB, and is the peak, so no growth is missed.
process.stdout.write(
  `${JSON.stringify({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(head.toString('latin1'))?.[1]), grewBytes: process.resourceUsage().maxRSS * 1024 - before })}\n`,
);
process.exit(0);
