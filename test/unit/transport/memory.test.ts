import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { Server, Socket } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, describe, test } from 'node:test';
import { promisify } from 'node:util';

const MiB = 1_048_576;
const small = MiB / 4;
const standard = 64 * MiB;
/** Above a small limit, and at several hundred bytes each far above the standard limit. */
const pieces = 0.75 * MiB;

const folder = mkdtempSync(path.join(tmpdir(), 'deck-memory-'));
const servers: Server[] = [];
after(() => {
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true });
});

interface Outcome {
  outcome: string;
  grewBytes: number;
  tools: number;
  log: number;
}

/** Starts the server from a separate process, whose memory is measured. */
async function startIn(definition: object, maxMessageBytes: number): Promise<Outcome> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['dist/test/memoryChild.mjs', JSON.stringify(definition), String(maxMessageBytes)],
    { timeout: 200_000 },
  );
  // Node's test runner writes there as well.
  return JSON.parse(/^\{"outcome".*$/m.exec(stdout)?.[0] ?? '') as Outcome;
}

function assertBounded({ grewBytes }: Outcome, maxMessageBytes: number): void {
  const bound = 3 * maxMessageBytes + 64 * MiB;
  assert.ok(grewBytes < bound, `grew by ${(grewBytes / MiB).toFixed(0)} MiB, the bound is ${bound / MiB} MiB`);
}

/** `piece`, repeatedly, as fast as the other side reads. */
async function flood(socket: Socket, piece: Buffer, count: number): Promise<void> {
  const perWrite = 8_192;
  const many = Buffer.concat(Array.from({ length: perWrite }, () => piece));
  for (let sent = 0; sent < count && !socket.destroyed; sent += perWrite) {
    await new Promise<void>((resolve) => void socket.write(many, () => resolve()));
  }
}

type Answer = (socket: Socket, head: string, base: string) => Promise<void> | void;

/** Answers each request with its own handler; requests must arrive one at a time. */
async function rawServer(answer: Answer, where?: string): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (bytes: Buffer) => {
      const head = bytes.toString('latin1');
      if (/^(?:GET|POST|DELETE) /.test(head)) void answer(socket, head, base);
    });
  });
  servers.push(server);
  if (where === undefined) server.listen(0, '127.0.0.1');
  else server.listen(where);
  await once(server, 'listening');
  const address = server.address();
  const base = typeof address === 'object' && address ? `http://127.0.0.1:${address.port}` : '';
  return base;
}

const oneByteChunk = Buffer.from('1\r\na\r\n');
const inChunks =
  (type: string, begin = ''): Answer =>
  async (socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n`);
    if (begin !== '') socket.write(`${begin.length.toString(16)}\r\n${begin}\r\n`);
    await flood(socket, oneByteChunk, pieces);
    socket.end('0\r\n\r\n');
  };
const json = inChunks('application/json', '"');
const events = inChunks('text/event-stream', 'data: "');
const empty = (status: string): string => `HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n`;

const overHttpAndSse: Answer = (socket, head) => {
  if (head.startsWith('POST')) return void socket.write(empty('202 Accepted'));
  return inChunks('text/event-stream', 'event: endpoint\ndata: /messages\n\ndata: "')(socket, head, '');
};

const signIn: Answer = (socket, head, base) => {
  if (head.includes('/.well-known/')) return json(socket, head, base);
  socket.write(
    `HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer resource_metadata="${base}/.well-known/oauth-protected-resource"\r\nContent-Length: 0\r\n\r\n`,
  );
};

const webSocket: Answer = async (socket, head) => {
  const key = /sec-websocket-key: (\S+)/i.exec(head)?.[1] ?? '';
  const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\nSec-WebSocket-Protocol: mcp\r\n\r\n`,
  );
  socket.write(Buffer.from([0x01, 1, 0x22]));
  await flood(socket, Buffer.from([0x00, 1, 0x61]), pieces);
};

/** A process that writes single bytes; the system may combine them in the pipe. */
const writer = (begin: string) => ({
  command: process.execPath,
  args: [
    '-e',
    `const fs=require('fs');fs.writeSync(1,${JSON.stringify(begin)});const a=Buffer.from('a');for(let i=0;i<${pieces};i++){try{fs.writeSync(1,a)}catch(e){if(e.code!=='EAGAIN')throw e}}`,
  ],
});

const transports: Record<string, () => Promise<object>> = {
  'standard output, by lines': () => Promise.resolve(writer('"')),
  'standard output, by content length': () => Promise.resolve(writer(`Content-Length: ${pieces}\r\n\r\n`)),
  'Streamable HTTP, as JSON': async () => ({ type: 'http', url: await rawServer(json) }),
  'Streamable HTTP, as events': async () => ({ type: 'http', url: await rawServer(events) }),
  'HTTP+SSE': async () => ({ type: 'sse', url: await rawServer(overHttpAndSse) }),
  WebSocket: async () => ({ type: 'ws', url: (await rawServer(webSocket)).replace('http', 'ws') }),
  'HTTP by a socket file': async () => {
    const file = path.join(folder, `${servers.length}.sock`);
    await rawServer(json, file);
    return { type: 'http', url: `unix://${file}#/mcp` };
  },
  'a sign-in': async () => ({ type: 'http', url: await rawServer(signIn) }),
};

describe('memory used for a server', { concurrency: 2 }, () => {
  for (const [limit, words] of [
    [small, 'a small limit'],
    [standard, 'the standard limit'],
  ] as const) {
    for (const [name, open] of Object.entries(transports)) {
      test(`[F9] is proportional to the bytes, in pieces of one byte over ${name}, with ${words}`, async () => {
        const outcome = await startIn(await open(), limit);
        assert.notEqual(outcome.outcome, 'started');
        assertBounded(outcome, limit);
      });
    }
  }

  for (const { limit, status } of [
    { limit: small, status: 413 },
    { limit: 4 * MiB, status: 400 },
  ]) {
    test(`[F9] the server half: is proportional to the bytes of a request, in chunks of one byte, with a limit of ${limit / MiB} MiB`, async () => {
      const { stdout } = await promisify(execFile)(
        process.execPath,
        ['dist/test/frontMemoryChild.mjs', String(pieces), String(limit)],
        { timeout: 200_000 },
      );
      const outcome = JSON.parse(/^\{"status".*$/m.exec(stdout)?.[0] ?? '') as Outcome & { status: number };
      assert.equal(outcome.status, status);
      assertBounded(outcome, limit);
    });
  }

  for (const limit of [MiB, 8 * MiB]) {
    test(`[F9] is limited over all pages of a list, each as large as the message limit of ${limit / MiB} MiB`, async () => {
      let page = 0;
      const pages: Answer = (socket, head) => {
        const body = head.slice(head.indexOf('\r\n\r\n') + 4);
        const { id, method } = JSON.parse(body === '' ? '{}' : body) as { id?: number; method?: string };
        const send = (result: object) => {
          const text = JSON.stringify({ jsonrpc: '2.0', id, result });
          socket.write(
            `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
          );
        };
        if (method === 'server/discover') return void socket.write(empty('404 Not Found'));
        if (method === 'initialize')
          return send({
            protocolVersion: '2025-06-18',
            capabilities: { tools: {} },
            serverInfo: { name: 'pages', version: '1' },
          });
        if (method !== 'tools/list')
          return void socket.write(empty(head.startsWith('GET') ? '405 Method Not Allowed' : '202 Accepted'));
        page++;
        const tool = { name: `tool${page}`, inputSchema: { type: 'object' }, description: 'x'.repeat(limit - 4_096) };
        send({
          tools: [tool, { ...tool, name: `other${page}`, description: 'small' }],
          ...(page < 500 ? { nextCursor: `page ${page}` } : {}),
        });
      };
      const outcome = await startIn({ type: 'http', url: await rawServer(pages) }, limit);
      assert.equal(outcome.outcome, 'started');
      assertBounded(outcome, limit);
      assert.ok(page < 5, `${page} pages were fetched`);
      assert.ok(outcome.tools >= 2, 'the fetched pages are kept');
      assert.equal(outcome.log, 1);
    });
  }
});
