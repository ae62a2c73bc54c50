import { MemoryTransport } from '../../src/core/transport/memoryTransport.js';
import type { Transport } from '../../src/core/transport/transport.js';
import './judgedSessions.js';

type Message = Record<string, any>;
type Answer = (params: Record<string, any>, message: Message) => unknown;

/** An error response, thrown by a script. */
export class ScriptedError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message);
  }
}

/** Never answers. */
export const silence = Symbol('silence');

/**
 * The other side of an in-memory connection: records the messages received and answers by script. Requests without a
 * script are answered with -32601, as real servers do.
 */
export class ScriptedServer {
  /** All messages received, in order. */
  readonly received: Message[] = [];
  /** One for each `openTransport` call. */
  private end: MemoryTransport | undefined;
  connections = 0;
  private readonly scripts = new Map<string, Answer>();
  private readonly waiters: { matches: (message: Message) => boolean; resolve: (message: Message) => void }[] = [];
  private nextId = 1000;

  /** A separate connection per call, as a process or socket would be. */
  readonly openTransport = (): Transport => {
    const [client, server] = MemoryTransport.pair();
    this.connections++;
    this.end = server;
    void server.open({
      onMessage: (message) => this.take(message),
      onClose: () => undefined,
      onWarning: () => undefined,
    });
    return client;
  };

  respondTo(method: string, answer: Answer): this {
    this.scripts.set(method, answer);
    return this;
  }

  /** A server of the legacy era with these capabilities. */
  legacy(capabilities: Message = { tools: {} }, protocolVersion?: string): this {
    return this.respondTo('initialize', (params) => ({
      protocolVersion: protocolVersion ?? params['protocolVersion'],
      capabilities,
      serverInfo: { name: 'scripted', version: '1.0.0' },
    }));
  }

  /** A server of the stateless era with these capabilities. */
  modern(capabilities: Message = { tools: {} }, supportedVersions: string[] = ['2026-07-28']): this {
    return this.respondTo('server/discover', () => ({
      resultType: 'complete',
      supportedVersions,
      capabilities,
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'scripted', version: '1.0.0' } },
    }));
  }

  /** Sends any value to the client. */
  send(message: unknown): void {
    this.end?.send({ text: JSON.stringify(message) });
  }

  notify(method: string, params?: Message): void {
    this.send({ jsonrpc: '2.0', method, ...(params ? { params } : {}) });
  }

  /** Sends a request and resolves with the client's answer. */
  async request(method: string, params?: Message): Promise<Message> {
    const id = this.nextId++;
    this.send({ jsonrpc: '2.0', id, method, ...(params ? { params } : {}) });
    return this.next((message) => message['id'] === id && message['method'] === undefined);
  }

  /** The next matching message, including those already received. */
  next(matches: (message: Message) => boolean): Promise<Message> {
    const known = this.received.find(matches);
    if (known) return Promise.resolve(known);
    return new Promise((resolve) => this.waiters.push({ matches, resolve }));
  }

  /** Methods received so far. */
  get methods(): string[] {
    return this.received.map((message) => String(message['method'] ?? 'response'));
  }

  /** Ends the connection as a crash would. */
  async hangUp(): Promise<void> {
    await this.end?.close();
  }

  private take(incoming: unknown): void {
    const message = incoming as Message;
    this.received.push(message);
    for (const waiter of this.waiters.filter(({ matches }) => matches(message))) {
      this.waiters.splice(this.waiters.indexOf(waiter), 1);
      waiter.resolve(message);
    }
    const { id, method } = message;
    if (id === undefined || method === undefined) return;
    void this.answer(id, String(method), message);
  }

  private async answer(id: unknown, method: string, message: Message): Promise<void> {
    const script = this.scripts.get(method);
    if (!script) {
      this.send({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } });
      return;
    }
    try {
      const result = await script((message['params'] as Record<string, any> | undefined) ?? {}, message);
      if (result !== silence) this.send({ jsonrpc: '2.0', id, result });
    } catch (error) {
      const { code, message: text, data } = error as ScriptedError;
      this.send({ jsonrpc: '2.0', id, error: { code, message: text, ...(data === undefined ? {} : { data }) } });
    }
  }
}
