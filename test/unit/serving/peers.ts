import assert from 'node:assert/strict';
import {
  CallToolResultSchema,
  CompleteResultSchema,
  DiscoverResultSchema,
  GetPromptResultSchema,
  InitializeResultSchema,
  JSONRPCMessageSchema,
  ListPromptsResultSchema,
  ListResourcesResultSchema,
  ListResourceTemplatesResultSchema,
  ListToolsResultSchema,
  ReadResourceResultSchema,
  ServerNotificationSchema,
  ServerRequestSchema,
  SubscriptionsAcknowledgedNotificationSchema,
} from '@modelcontextprotocol/core';
import type { McpServerOptions } from '../../../src/core/serving/mcpServer.js';
import { McpServer } from '../../../src/core/serving/mcpServer.js';
import type { ToolProvider } from '../../../src/core/serving/servedFeatures.js';
import { PromptList, ResourceList, ToolList } from '../../../src/core/serving/servedFeatures.js';
import { MemoryTransport } from '../../../src/core/transport/memoryTransport.js';
import type { Outgoing, Transport, TransportSink } from '../../../src/core/transport/transport.js';
import { UserError } from '../../../src/core/base/hostError.js';
import { Deferred } from '../../../src/core/base/deferred.js';

export type Message = Record<string, any>;

/** The transport interface of the official packages. */
interface OfficialTransport {
  start(): Promise<void>;
  send(message: any): Promise<void>;
  close(): Promise<void>;
  onmessage?: ((message: any) => void) | undefined;
  onclose?: (() => void) | undefined;
}

const resultSchemas: Record<string, { parse(value: unknown): unknown }> = {
  initialize: InitializeResultSchema,
  'server/discover': DiscoverResultSchema,
  'tools/list': ListToolsResultSchema,
  'tools/call': CallToolResultSchema,
  'resources/list': ListResourcesResultSchema,
  'resources/templates/list': ListResourceTemplatesResultSchema,
  'resources/read': ReadResourceResultSchema,
  'prompts/list': ListPromptsResultSchema,
  'prompts/get': GetPromptResultSchema,
  'completion/complete': CompleteResultSchema,
};

/** Checks all messages of a server against the official schemas. */
export class WireOracle {
  private readonly methods = new Map<unknown, string>();

  /** Records a message to the server, to know the schema of its answer. */
  toServer(message: Message): void {
    if (message['method'] !== undefined && message['id'] !== undefined)
      this.methods.set(message['id'], message['method']);
  }

  fromServer(message: Message): void {
    JSONRPCMessageSchema.parse(message);
    if (message['method'] === 'notifications/subscriptions/acknowledged')
      SubscriptionsAcknowledgedNotificationSchema.parse(message);
    else if (message['method'] !== undefined)
      (message['id'] === undefined ? ServerNotificationSchema : ServerRequestSchema).parse(message);
    else if (message['result'] !== undefined && message['result'].resultType !== 'input_required') {
      resultSchemas[this.methods.get(message['id']) ?? '']?.parse(message['result']);
    }
  }
}

/** The server's end of a linked pair of an official package, adapted to our transport; every message is checked. */
export class OfficialEnd implements Transport {
  readonly kind = 'memory';
  private readonly oracle = new WireOracle();
  /** Everything that the server sent. */
  readonly sent: Message[] = [];

  constructor(private readonly end: OfficialTransport) {}

  async open(sink: TransportSink): Promise<void> {
    this.end.onmessage = (message: Message) => {
      this.oracle.toServer(message);
      sink.onMessage(message);
    };
    this.end.onclose = () => sink.onClose();
    await this.end.start();
  }

  send({ text }: Outgoing): void {
    const message = JSON.parse(text) as Message;
    this.oracle.fromServer(message);
    this.sent.push(message);
    void this.end.send(message);
  }

  close(): Promise<void> {
    return this.end.close();
  }
}

export const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** A client that sends exactly the messages of the test. */
export class RawClient {
  /** Everything received, in order. */
  readonly received: Message[] = [];
  readonly closed = new Deferred<void>();
  private nextId = 1;
  private readonly oracle = new WireOracle();
  private readonly waiters: { matches: (message: Message) => boolean; found: Deferred<Message> }[] = [];

  private constructor(private readonly transport: MemoryTransport) {}

  static async connect(server: McpServer): Promise<RawClient> {
    const [mine, its] = MemoryTransport.pair();
    const client = new RawClient(mine);
    await server.connect(its);
    await mine.open({
      onMessage: (message) => client.receive(message as Message),
      onClose: () => client.closed.resolve(),
      onWarning: () => undefined,
    });
    return client;
  }

  /** Connects and completes the handshake. */
  static async initialized(
    server: McpServer,
    protocolVersion = '2025-11-25',
    capabilities: Message = {},
  ): Promise<RawClient> {
    const client = await RawClient.connect(server);
    const answer = await client.request('initialize', {
      protocolVersion,
      capabilities,
      clientInfo: { name: 'raw', version: '1' },
    });
    assert.equal(answer['result'].protocolVersion, protocolVersion);
    client.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return client;
  }

  send(message: unknown): void {
    for (const one of Array.isArray(message) ? message : [message])
      if (typeof one === 'object' && one !== null) this.oracle.toServer(one as Message);
    this.transport.send({ text: JSON.stringify(message) });
  }

  /** Sends a request; returns the whole response. */
  request(method: string, params?: Message, id: string | number = this.nextId++): Promise<Message> {
    const answer = this.next((message) => message['id'] === id && message['method'] === undefined);
    this.send({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) });
    return answer;
  }

  /** A request of the stateless era. */
  modern(method: string, params: Message = {}, capabilities: Message = {}, moreMeta: Message = {}): Promise<Message> {
    return this.request(method, {
      ...params,
      _meta: { ...meta, 'io.modelcontextprotocol/clientCapabilities': capabilities, ...moreMeta },
    });
  }

  /** The next matching message from now on. */
  next(matches: (message: Message) => boolean): Promise<Message> {
    const found = new Deferred<Message>();
    this.waiters.push({ matches, found });
    return found.promise;
  }

  close(): Promise<void> {
    return this.transport.close();
  }

  private receive(message: Message | Message[]): void {
    for (const one of Array.isArray(message) ? message : [message]) {
      if (one['id'] !== null) this.oracle.fromServer(one);
      this.received.push(one);
      for (const waiter of [...this.waiters]) {
        if (!waiter.matches(one)) continue;
        this.waiters.splice(this.waiters.indexOf(waiter), 1);
        waiter.found.resolve(one);
      }
    }
  }
}

/** The values that the sample server's handlers saw. */
export interface Seen {
  /** Resolves when `wait` has started. */
  waiting: Deferred<void>;
  /** Resolves with the reason when `wait` was aborted. */
  aborted: Deferred<unknown>;
  /** Number of runs of `ask_twice`. */
  runs: number;
}

const anything = { type: 'object' };

/** A server with some of every feature. */
export function sampleServer(options: Partial<McpServerOptions> = {}): {
  server: McpServer;
  tools: ToolList;
  resources: ResourceList;
  prompts: PromptList;
  seen: Seen;
  log: string[];
} {
  const seen: Seen = { waiting: new Deferred(), aborted: new Deferred(), runs: 0 };
  const log: string[] = [];
  const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] });
  const nameForm = {
    mode: 'form' as const,
    message: 'Who?',
    requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  };
  const providers: ToolProvider[] = [
    {
      tool: {
        name: 'echo',
        description: 'Echoes',
        inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      },
      call: (args) => text(String(args['text'])),
    },
    {
      tool: { name: 'wait', description: 'Waits until it is given up', inputSchema: anything },
      call: (_args, { signal }) =>
        new Promise((_resolve, reject) => {
          seen.waiting.resolve();
          signal.addEventListener('abort', () => {
            seen.aborted.resolve(signal.reason);
            reject(signal.reason);
          });
        }),
    },
    {
      tool: { name: 'report', description: 'Reports progress and logs', inputSchema: anything },
      call: (_args, context) => {
        for (const progress of [1, 2, 2, 1, 3]) context.progress({ progress, total: 3, message: `step ${progress}` });
        context.log('debug', 'fine');
        context.log('error', { what: 'bad' }, 'reporter');
        return text('reported');
      },
    },
    {
      tool: { name: 'fail', description: 'Fails', inputSchema: anything },
      call: () => Promise.reject(new UserError('It did not work.')),
    },
    {
      tool: { name: 'bug', description: 'Has a bug', inputSchema: anything },
      call: () => {
        throw new TypeError('secret detail');
      },
    },
    {
      tool: { name: 'ask', description: 'Asks', inputSchema: anything },
      call: async (_args, context) => {
        const answer = await context.elicit(nameForm);
        return text(answer.action === 'accept' ? `Hello, ${String(answer.content?.['name'])}` : answer.action);
      },
    },
    {
      tool: { name: 'ask_twice', description: 'Asks three things in two rounds', inputSchema: anything },
      call: async (args, context) => {
        seen.runs++;
        const [who, roots] = await Promise.all([context.elicit(nameForm), context.listRoots()]);
        const reply = await context.sample({
          messages: [{ role: 'user', content: { type: 'text', text: `Greet ${String(who.content?.['name'])}` } }],
          maxTokens: 10,
        });
        return text(`${JSON.stringify(reply.content)} ${roots.map((root) => root.uri).join()} ${JSON.stringify(args)}`);
      },
    },
    {
      tool: {
        name: 'structured',
        description: 'Returns a list',
        inputSchema: anything,
        outputSchema: { type: 'array', items: { type: 'integer' } },
      },
      call: () => ({
        content: [
          { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
          { type: 'resource_link', uri: 'test://a', name: 'a' },
        ],
        structuredContent: [1, 2],
      }),
    },
  ];
  const tools = new ToolList(providers);
  const resources = new ResourceList(
    [
      {
        resource: { uri: 'test://a', name: 'a', mimeType: 'text/plain' },
        read: () => [{ uri: 'test://a', text: 'A' }],
      },
    ],
    [
      {
        template: { uriTemplate: 'test://items/{id}', name: 'item' },
        match: (uri) => (uri.startsWith('test://items/') ? { id: uri.slice(13) } : undefined),
        read: (uri, { id }) => (id === '0' ? undefined : [{ uri, text: `item ${id}` }]),
        complete: ({ value }) => Array.from({ length: 150 }, (_item, i) => `${value}${i}`),
      },
    ],
  );
  const prompts = new PromptList([
    {
      prompt: { name: 'greet', description: 'Greets', arguments: [{ name: 'name', required: true }, { name: 'city' }] },
      get: ({ name, city }) => ({
        messages: [{ role: 'user', content: { type: 'text', text: `Greet ${name} in ${city ?? 'nowhere'}` } }],
      }),
      complete: ({ name, value, others }) => [`${name}:${value}:${others['city'] ?? ''}`],
    },
  ]);
  const server = new McpServer({
    info: { name: 'sample', version: '1.2.3' },
    instructions: 'Be nice.',
    tools,
    resources,
    prompts,
    validate: (schema, value) => {
      const required = (schema['required'] as string[] | undefined) ?? [];
      return required.filter((name) => (value as Message)?.[name] === undefined).map((name) => `${name} is missing`);
    },
    log: { write: (level, line) => log.push(`${level}: ${line}`) },
    ...options,
  });
  return { server, tools, resources, prompts, seen, log };
}
