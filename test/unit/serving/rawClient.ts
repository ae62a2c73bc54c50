/** A client of the HTTP front that sends exactly the bytes of a test, and the events that it reads. */
import assert from 'node:assert/strict';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Agent, request as httpRequest } from 'node:http';
import type { TestContext } from 'node:test';
import { Deferred } from '../../../src/core/base/deferred.js';
import { SseParser } from '../../../src/core/protocol/sseParser.js';
import type { HttpFrontOptions } from '../../../src/core/serving/httpFront.js';
import { HttpFront } from '../../../src/core/serving/httpFront.js';
import type { Message } from './peers.js';
import { WireOracle, meta, sampleServer } from './peers.js';

export async function open(
  t: TestContext,
  options: Partial<HttpFrontOptions> = {},
): Promise<ReturnType<typeof sampleServer> & { front: HttpFront; url: string; port: number }> {
  const sample = sampleServer();
  const front = new HttpFront({ server: sample.server, ...options });
  const { url, port } = await front.listen();
  t.after(async () => {
    await front.close();
    sample.server.dispose();
  });
  return { ...sample, front, url, port };
}

export interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  /** The body parsed as JSON, if it is JSON. */
  body: Message;
  text: string;
}

export const accept = 'application/json, text/event-stream';

/** Sends a request with exactly these headers; undefined removes one. */
export function send(
  url: string,
  options: {
    method?: string;
    path?: string;
    headers?: Record<string, string | undefined>;
    body?: string | Buffer;
  } = {},
): Promise<{ response: IncomingMessage; hangUp: () => void }> {
  const { method = 'POST', body } = options;
  const target = new URL(url);
  const headers = Object.entries({
    ...(method === 'POST'
      ? { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body ?? '')) }
      : {}),
    accept,
    ...options.headers,
  }).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        host: target.hostname,
        port: target.port,
        path: options.path ?? target.pathname,
        method,
        headers: Object.fromEntries(headers),
        agent: new Agent(),
      },
      (response) => resolve({ response, hangUp: () => request.destroy() }),
    );
    request.on('error', reject);
    request.end(body);
  });
}

export async function reply(url: string, options: Parameters<typeof send>[1] = {}): Promise<Reply> {
  const { response } = await send(url, options);
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text,
    body: text.startsWith('{') ? (JSON.parse(text) as Message) : {},
  };
}

export function post(url: string, message: unknown, headers: Record<string, string | undefined> = {}): Promise<Reply> {
  return reply(url, { body: JSON.stringify(message), headers });
}

export const initializeMessage = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};

export async function session(
  url: string,
  protocolVersion = '2025-11-25',
  headers: Record<string, string> = {},
): Promise<Record<string, string>> {
  const answer = await post(
    url,
    { ...initializeMessage, params: { ...initializeMessage.params, protocolVersion } },
    headers,
  );
  assert.equal(answer.status, 200);
  const own = {
    ...headers,
    'mcp-session-id': String(answer.headers['mcp-session-id']),
    'mcp-protocol-version': protocolVersion,
  };
  assert.equal((await post(url, { jsonrpc: '2.0', method: 'notifications/initialized' }, own)).status, 202);
  return own;
}

/** A request of the stateless era with its required headers. */
export function modern(
  method: string,
  params: Message = {},
  headers: Record<string, string | undefined> = {},
  id: string | number = 1,
): Parameters<typeof send>[1] {
  const name = params['name'] ?? params['uri'];
  return {
    body: JSON.stringify({ jsonrpc: '2.0', id, method, params: { _meta: meta, ...params } }),
    headers: {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(name === undefined ? {} : { 'mcp-name': String(name) }),
      ...headers,
    },
  };
}

export interface StreamEvent {
  id?: string;
  data: string;
}

/** Events of a response in the order of arrival. */
export class EventReader {
  readonly events: StreamEvent[] = [];
  readonly ended = new Deferred<void>();
  comments = 0;
  private readonly waiters: { count: number; done: Deferred<void> }[] = [];

  constructor(response: IncomingMessage) {
    const oracle = new WireOracle();
    const parser = new SseParser({
      onEvent: ({ data }) => {
        if (data !== '') oracle.fromServer(JSON.parse(data) as Message);
        this.events.push({ data });
        this.wake();
      },
      onId: (id) => {
        const last = this.events.at(-1);
        if (last) last.id = id;
      },
    });
    response.on('data', (chunk: Buffer) => {
      if (chunk.toString() === ':\n\n') this.comments++;
      parser.feed(chunk);
      this.wake();
    });
    response.on('close', () => this.ended.resolve());
  }

  get messages(): Message[] {
    return this.events.filter(({ data }) => data !== '').map(({ data }) => JSON.parse(data) as Message);
  }

  /** Waits until this number of events and comments has arrived. */
  async atLeast(count: number): Promise<void> {
    if (this.events.length + this.comments >= count) return;
    const done = new Deferred<void>();
    this.waiters.push({ count, done });
    await done.promise;
  }

  private wake(): void {
    for (const waiter of this.waiters) if (this.events.length + this.comments >= waiter.count) waiter.done.resolve();
  }
}
