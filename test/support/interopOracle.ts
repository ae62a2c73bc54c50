/**
 * A transport wrapper that checks every message of our client against the official schemas
 * (`@modelcontextprotocol/core`) and the rules of the current revision. It changes no message and throws no error;
 * faults are collected in `problems`.
 */
import {
  CallToolRequestSchema,
  CancelledNotificationSchema,
  CancelTaskRequestSchema,
  CancelTaskResultSchema,
  CompleteRequestSchema,
  CreateMessageResultSchema,
  CreateMessageResultWithToolsSchema,
  CreateTaskResultSchema,
  DiscoverRequestSchema,
  ElicitResultSchema,
  EmptyResultSchema,
  GetPromptRequestSchema,
  GetTaskPayloadRequestSchema,
  GetTaskRequestSchema,
  GetTaskResultSchema,
  InitializedNotificationSchema,
  InitializeRequestSchema,
  JSONRPCErrorResponseSchema,
  JSONRPCNotificationSchema,
  JSONRPCRequestSchema,
  JSONRPCResultResponseSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListRootsResultSchema,
  ListTasksRequestSchema,
  ListTasksResultSchema,
  ListToolsRequestSchema,
  PingRequestSchema,
  ProgressNotificationSchema,
  ReadResourceRequestSchema,
  RootsListChangedNotificationSchema,
  SetLevelRequestSchema,
  SubscribeRequestSchema,
  SubscriptionsListenRequestSchema,
  TaskStatusNotificationSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/core';
import { z } from 'zod';
import type { Outgoing, Transport, TransportSink } from '../../src/core/transport/transport.js';

type Json = Record<string, unknown>;

interface Schema {
  safeParse(value: unknown): { success: boolean; error?: { issues: { path: PropertyKey[]; message: string }[] } };
}

/**
 * Extension methods (`io.modelcontextprotocol/tasks`, `io.modelcontextprotocol/skills`), which the schemas do not
 * contain.
 */
const GetSkillRequestSchema = z.looseObject({
  method: z.literal('skills/get'),
  params: z.looseObject({ uri: z.string() }),
});
const ListSkillsRequestSchema = z.looseObject({
  method: z.literal('skills/list'),
  params: z.looseObject({ cursor: z.string().optional() }).optional(),
});
const UpdateTaskRequestSchema = z.looseObject({
  method: z.literal('tasks/update'),
  params: z.looseObject({ taskId: z.string(), inputResponses: z.record(z.string(), z.looseObject({})) }),
});

type Era = 'legacy' | 'modern' | 'both';

/** Requests that a client may send, with their era. */
const requests: Record<string, [Schema, Era, since?: string]> = {
  initialize: [InitializeRequestSchema, 'legacy'],
  ping: [PingRequestSchema, 'legacy'],
  'server/discover': [DiscoverRequestSchema, 'modern'],
  'tools/list': [ListToolsRequestSchema, 'both'],
  'tools/call': [CallToolRequestSchema, 'both'],
  'resources/list': [ListResourcesRequestSchema, 'both'],
  'resources/templates/list': [ListResourceTemplatesRequestSchema, 'both'],
  'resources/read': [ReadResourceRequestSchema, 'both'],
  'resources/subscribe': [SubscribeRequestSchema, 'legacy'],
  'resources/unsubscribe': [UnsubscribeRequestSchema, 'legacy'],
  'prompts/list': [ListPromptsRequestSchema, 'both'],
  'prompts/get': [GetPromptRequestSchema, 'both'],
  'completion/complete': [CompleteRequestSchema, 'both'],
  'logging/setLevel': [SetLevelRequestSchema, 'legacy'],
  'subscriptions/listen': [SubscriptionsListenRequestSchema, 'modern'],
  'tasks/get': [GetTaskRequestSchema, 'both', '2025-11-25'],
  'tasks/result': [GetTaskPayloadRequestSchema, 'legacy', '2025-11-25'],
  'tasks/list': [ListTasksRequestSchema, 'legacy', '2025-11-25'],
  'tasks/cancel': [CancelTaskRequestSchema, 'both', '2025-11-25'],
  'tasks/update': [UpdateTaskRequestSchema, 'modern'],
  'skills/get': [GetSkillRequestSchema, 'both', '2025-11-25'],
  'skills/list': [ListSkillsRequestSchema, 'both', '2025-11-25'],
};

const notifications: Record<string, [Schema, Era, since?: string]> = {
  'notifications/initialized': [InitializedNotificationSchema, 'legacy'],
  'notifications/cancelled': [CancelledNotificationSchema, 'both'],
  'notifications/progress': [ProgressNotificationSchema, 'legacy'],
  'notifications/roots/list_changed': [RootsListChangedNotificationSchema, 'legacy'],
  'notifications/tasks/status': [TaskStatusNotificationSchema, 'legacy', '2025-11-25'],
};

/** Results that a client sends to a server. */
const answers: Record<string, Schema> = {
  ping: EmptyResultSchema,
  'roots/list': ListRootsResultSchema,
  'elicitation/create': ElicitResultSchema,
  'tasks/get': GetTaskResultSchema,
  'tasks/list': ListTasksResultSchema,
  'tasks/cancel': CancelTaskResultSchema,
};

/** Client capabilities and the revision that introduced each. */
const capabilitySince: Record<string, string> = {
  roots: '2024-11-05',
  sampling: '2024-11-05',
  experimental: '2024-11-05',
  elicitation: '2025-06-18',
  tasks: '2025-11-25',
  extensions: '2025-11-25',
};

const metaPrefix = 'io.modelcontextprotocol/';

/** The parameter that `Mcp-Name` is taken from (2026-07-28, streamable-http). */
const nameOf: Record<string, (params: Json) => unknown> = {
  'tools/call': (params) => params['name'],
  'prompts/get': (params) => params['name'],
  'resources/read': (params) => params['uri'],
};

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export class InteropOracle {
  /** Every fault found, with its message. */
  readonly problems: string[] = [];
  /** Every message our client sent, in order. */
  readonly sent: Json[] = [];
  /** Every message the server sent, in order. */
  readonly received: Json[] = [];
  /** The revision agreed on by `initialize` or `server/discover`. */
  revision: string | undefined;
  /** Whether the connection has ended. */
  isOver = false;
  private isInitialized = false;
  private readonly mine = new Map<unknown, Json>();
  private readonly theirs = new Map<unknown, Json>();
  /** The last `input_required` result for each method. */
  private asked = new Map<string, Json>();

  /** @param options `keepsMessages`: whether to fill `sent` and `received`, which grow with a flood. Default: true. */
  constructor(private readonly options: { keepsMessages?: boolean } = {}) {}

  /** Methods and notifications that our client sent, in order. */
  get methods(): string[] {
    return this.sent.flatMap(({ method }) => (typeof method === 'string' ? [method] : []));
  }

  /** Resets the ids and the revision, which belong to one connection. `sent` and `received` keep all connections. */
  wrap(inner: Transport): Transport {
    this.mine.clear();
    this.theirs.clear();
    this.revision = undefined;
    this.isInitialized = false;
    this.isOver = false;
    const watched = (sink: TransportSink): TransportSink => ({
      onMessage: (message, text, exchange) => {
        this.incoming(message);
        sink.onMessage(message, text, exchange);
      },
      onClose: (reason) => {
        this.isOver = true;
        sink.onClose(reason);
      },
      onWarning: (line) => sink.onWarning(line),
      onRemark: (remark) => sink.onRemark?.(remark),
      onUnreadable: (text) => sink.onUnreadable?.(text),
      onStderr: (line) => sink.onStderr?.(line),
    });
    const own: Partial<Transport> = {
      open: (sink, signal) => inner.open(watched(sink), signal),
      send: (message) => {
        this.outgoing(message, inner.kind);
        inner.send(message);
      },
    };
    // All other members are those of the wrapped transport.
    return new Proxy(inner, {
      get: (_target, key) => {
        const value: unknown = Reflect.get(own, key) ?? Reflect.get(inner, key);
        return typeof value === 'function' ? (value as () => unknown).bind(inner) : value;
      },
    });
  }

  outgoing({ text, headers }: Outgoing, transportKind: string): void {
    if (/[\r\n]/.test(text)) this.fault('has a raw line break', text);
    const message = JSON.parse(text) as unknown;
    if (!isObject(message)) {
      this.fault('is not a single message', text);
      return;
    }
    if (this.options.keepsMessages !== false) this.sent.push(message);
    const { id, method } = message;
    if (typeof method === 'string' && id !== undefined) this.request(message, method, headers, transportKind);
    else if (typeof method === 'string') this.notification(message, method);
    else this.response(message);
  }

  incoming(value: unknown): void {
    for (const message of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (!isObject(message)) continue;
      if (this.options.keepsMessages !== false) this.received.push(message);
      const { id, method, result } = message;
      if (method !== undefined) {
        if (id !== undefined) this.theirs.set(id, message);
        continue;
      }
      const request = this.mine.get(id);
      if (!request || !isObject(result)) continue;
      if (request['method'] === 'initialize') {
        this.revision = String(result['protocolVersion']);
        this.isInitialized = true;
      }
      // An answer to the probe that arrives after a handshake changes nothing.
      if (request['method'] === 'server/discover' && !this.isInitialized) this.revision = '2026-07-28';
      if (!isObject(result['inputRequests'])) continue;
      if (result['resultType'] === 'input_required') this.asked.set(String(request['method']), result);
      else if (result['status'] === 'input_required') this.asked.set('tasks/update', result);
    }
  }

  private request(
    message: Json,
    method: string,
    headers: Record<string, string> | undefined,
    transportKind: string,
  ): void {
    if (this.mine.has(message['id'])) this.fault('uses an id again', message);
    this.mine.set(message['id'], message);
    this.check(message, JSONRPCRequestSchema);
    const known = requests[method];
    if (!known) {
      this.fault('is a request that no revision knows', message);
      return;
    }
    this.check(message, known[0]);
    const params = isObject(message['params']) ? message['params'] : {};
    const meta = isObject(params['_meta']) ? params['_meta'] : {};
    // The probe always uses the modern era, for every server.
    const isModern = method === 'server/discover' || (method !== 'initialize' && this.revision === '2026-07-28');
    this.checkEra(message, known[1], known[2], isModern);
    if (isModern) {
      if (meta[`${metaPrefix}protocolVersion`] !== '2026-07-28')
        this.fault('lacks the protocol version in _meta', message);
      if (!isObject(meta[`${metaPrefix}clientCapabilities`]))
        this.fault('lacks the client capabilities in _meta', message);
      else this.checkCapabilities(message, meta[`${metaPrefix}clientCapabilities`] as Json, '2026-07-28');
      if (!isObject(meta[`${metaPrefix}clientInfo`])) this.fault('lacks the client info in _meta', message);
      if (transportKind === 'http') this.checkHeaders(message, method, params, headers ?? {});
      if (isObject(params['inputResponses'])) this.checkInputs(message, method, params);
    } else {
      const stray = Object.keys(meta).filter(
        (key) => key.startsWith(metaPrefix) && key !== `${metaPrefix}related-task`,
      );
      if (stray.length > 0) this.fault(`has ${stray.join(', ')} in the _meta of an older revision`, message);
    }
    if (method === 'initialize')
      this.checkCapabilities(message, params['capabilities'] as Json, String(params['protocolVersion']));
    if (params['task'] !== undefined && (isModern || this.isBefore('2025-11-25')))
      this.fault('asks for a task in a revision without that', message);
    if (method === 'completion/complete' && params['context'] !== undefined && this.isBefore('2025-06-18'))
      this.fault('gives a completion context to a revision without that', message);
  }

  private notification(message: Json, method: string): void {
    this.check(message, JSONRPCNotificationSchema);
    const known = notifications[method];
    if (!known) {
      this.fault('is a notification that no revision knows', message);
      return;
    }
    this.check(message, known[0]);
    // A cancellation of the probe has the era of the probe.
    if (method !== 'notifications/cancelled')
      this.checkEra(message, known[1], known[2], this.revision === '2026-07-28');
  }

  private response(message: Json): void {
    const request = this.theirs.get(message['id']);
    if (!request) this.fault('answers nothing that was asked', message);
    this.theirs.delete(message['id']);
    if (this.revision === '2026-07-28') this.fault('is a response, which clients of this revision never send', message);
    if (message['error'] !== undefined) {
      this.check(message, JSONRPCErrorResponseSchema);
      return;
    }
    this.check(message, JSONRPCResultResponseSchema);
    if (!request) return;
    const method = String(request['method']);
    const params = isObject(request['params']) ? request['params'] : {};
    if (isObject(params['task']) && !method.startsWith('tasks/')) this.check(message['result'], CreateTaskResultSchema);
    else if (method === 'sampling/createMessage')
      this.check(
        message['result'],
        params['tools'] === undefined ? CreateMessageResultSchema : CreateMessageResultWithToolsSchema,
      );
    else if (answers[method]) this.check(message['result'], answers[method]);
    else if (method !== 'tasks/result') this.fault('is a result for a method that clients do not have', message);
  }

  private checkInputs(message: Json, method: string, params: Json): void {
    const round = this.asked.get(method);
    const questions = round && isObject(round['inputRequests']) ? round['inputRequests'] : {};
    if (round?.['requestState'] !== params['requestState'])
      this.fault('does not give the state back as it was', message);
    const given = params['inputResponses'] as Json;
    // The server asks again while some questions of a task are open.
    for (const key of method === 'tasks/update' ? [] : Object.keys(questions))
      if (!(key in given)) this.fault(`leaves "${key}" unanswered`, message);
    for (const [key, answer] of Object.entries(given)) {
      const question = questions[key];
      if (!isObject(question)) {
        this.fault(`answers "${key}", which was not asked`, message);
        continue;
      }
      const schema =
        question['method'] === 'sampling/createMessage'
          ? CreateMessageResultWithToolsSchema
          : answers[String(question['method'])];
      if (schema) this.check(answer, schema);
    }
  }

  private checkHeaders(message: Json, method: string, params: Json, headers: Record<string, string>): void {
    if (headers['mcp-method'] !== method) this.fault(`goes with Mcp-Method: ${headers['mcp-method']}`, message);
    if (headers['mcp-protocol-version'] !== '2026-07-28')
      this.fault(`goes with MCP-Protocol-Version: ${headers['mcp-protocol-version']}`, message);
    const name = nameOf[method]?.(params);
    const sent = headers['mcp-name'];
    const decoded = sent?.startsWith('=?base64?') ? Buffer.from(sent.slice(9, -2), 'base64').toString('utf8') : sent;
    if (name !== undefined && decoded !== name) this.fault(`goes with Mcp-Name: ${sent}`, message);
    for (const [header, value] of Object.entries(headers))
      if (!/^[\x20-\x7e]*$/.test(value)) this.fault(`has an unsafe ${header}`, message);
  }

  private checkCapabilities(message: Json, capabilities: Json, revision: string): void {
    for (const name of Object.keys(capabilities)) {
      const since = capabilitySince[name];
      if (since === undefined || revision < since)
        this.fault(`declares "${name}", which ${revision} does not have`, message);
    }
    if (revision >= '2026-07-28' && capabilities['tasks'] !== undefined)
      this.fault('declares "tasks", which 2026-07-28 does not have', message);
  }

  private checkEra(message: Json, era: Era, since: string | undefined, isModern: boolean): void {
    if (era !== 'both' && isModern !== (era === 'modern'))
      this.fault(`is of the ${era} era; agreed was ${this.revision}`, message);
    if (since !== undefined && this.isBefore(since))
      this.fault(`exists since ${since}; agreed was ${this.revision}`, message);
  }

  private isBefore(revision: string): boolean {
    return this.revision !== undefined && this.revision < revision;
  }

  private check(value: unknown, schema: Schema): void {
    const { error } = schema.safeParse(value);
    if (error)
      this.fault(
        error.issues.map(({ path, message }) => `${path.map(String).join('.')}: ${message}`).join('; '),
        value,
      );
  }

  private fault(complaint: string, message: unknown): void {
    this.problems.push(`${complaint}: ${typeof message === 'string' ? message : JSON.stringify(message)}`);
  }
}
