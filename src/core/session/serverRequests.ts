/**
 * Requests from servers to the host: sampling, elicitation, roots. In the legacy era they arrive as JSON-RPC requests,
 * in the modern era inside `input_required` results; this module answers both (specification: client/sampling,
 * client/elicitation, client/roots; 2026-07-28 basic/patterns/mrtr).
 */
import { isObject } from '../base/guards.js';
import { HostError, isCancelled } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import { ErrorCode, ProtocolError } from '../protocol/jsonRpc.js';
import type { Params, Result } from '../protocol/jsonRpc.js';
import type {
  ClientCapabilities,
  CreateMessageRequest,
  CreateMessageResult,
  ElicitRequest,
  ElicitResult,
  JsonSchema,
  Root,
} from '../protocol/mcp.js';
import type { Revision } from '../protocol/revisions.js';
import { isAtLeast } from '../protocol/revisions.js';

/** The handlers of the host. A missing handler is not declared as a capability, and its requests are refused. */
export interface ServerRequestHandlers {
  roots?: (signal: AbortSignal, key?: string) => Root[] | Promise<Root[]>;
  /**
   * `key` is the key of this request in the server's input requests; only in 2026-07-28. `client` is the client of the
   * gateway whose call led to the request, if that client cannot answer the request.
   */
  createMessage?: (
    request: CreateMessageRequest,
    signal: AbortSignal,
    key?: string,
    client?: string,
  ) => Promise<CreateMessageResult>;
  elicit?: (request: ElicitRequest, signal: AbortSignal, key?: string, client?: string) => Promise<ElicitResult>;
  /**
   * Waits until the user has finished on a page that was opened for the server, or gives up. Rejects with the signal's
   * reason; the signal also aborts when the server reports completion. If it is absent, the user cannot report
   * completion.
   */
  untilVisited?: (
    request: Extract<ElicitRequest, { mode: 'url' }>,
    signal: AbortSignal,
  ) => Promise<'done' | 'given-up'>;
  /** Extensions to declare, by ID; default none. */
  extensions?: Record<string, unknown>;
}

/**
 * The ID of the extension for tasks. It is always declared, because the session itself handles tasks
 * (`taskPolling.ts`).
 */
export const tasksExtension = 'io.modelcontextprotocol/tasks';

/** The capabilities to declare for these handlers in this revision. */
export function clientCapabilities(handlers: ServerRequestHandlers, revision: Revision): ClientCapabilities {
  const capabilities: ClientCapabilities = {};
  const isModern = isAtLeast(revision, '2026-07-28');
  const isNovember = isAtLeast(revision, '2025-11-25');
  if (handlers.roots) capabilities.roots = isModern ? {} : { listChanged: true };
  if (handlers.createMessage) capabilities.sampling = isNovember ? { tools: {} } : {};
  if (handlers.elicit && isAtLeast(revision, '2025-06-18'))
    capabilities.elicitation = isNovember ? { form: {}, url: {} } : {};
  if (isModern) capabilities.extensions = { [tasksExtension]: {}, ...handlers.extensions };
  else if (handlers.extensions && isNovember) capabilities.extensions = handlers.extensions;
  return capabilities;
}

/**
 * Answers one request of a server. Rejects with ProtocolError if the method is unknown or undeclared, if the parameters
 * are invalid, or if the user refused sampling.
 */
export async function answerServerRequest(
  method: string,
  params: Params,
  handlers: ServerRequestHandlers,
  signal: AbortSignal,
  key?: string,
): Promise<Result> {
  const { roots, createMessage: sample, elicit: ask } = handlers;
  switch (method) {
    case 'roots/list':
      if (roots) return { roots: await roots(signal, key) };
      break;
    case 'sampling/createMessage':
      if (sample) return { ...(await createMessage(params, (request) => sample(request, signal, key))) };
      break;
    case 'elicitation/create':
      if (ask) return { ...(await elicit(params, (request) => ask(request, signal, key))) };
      break;
  }
  throw new ProtocolError(ErrorCode.methodNotFound, `Method not found: ${visibleLine(method, 100)}`);
}

/**
 * Answers a request inside a result of the server (2026-07-28, `input_required`). An error cannot be sent in that
 * place, so a refusal ends the request that the result belongs to. Rejects with HostError `input-refused`; a refusal by
 * the user is passed on unchanged.
 */
export async function answerInputRequest(
  method: string,
  params: Params,
  handlers: ServerRequestHandlers,
  signal: AbortSignal,
  key: string,
): Promise<Result> {
  try {
    return await answerServerRequest(method, params, handlers, signal, key);
  } catch (error) {
    if (!(error instanceof ProtocolError) || error.code === ErrorCode.userRejected) throw error;
    const name = visibleLine(method, 100);
    const isUnknown = error.code === ErrorCode.methodNotFound;
    const reason = isUnknown ? 'MCP Deck does not offer this to servers' : error.message;
    throw new HostError(
      'input-refused',
      `The server requires "${name}" before it responds. MCP Deck refused the request: ${reason}.`,
      {
        data: { method: name, reason, isUnknown },
        hint: 'The server cannot finish its request without the input. Its documentation may say what it needs.',
      },
    );
  }
}

async function createMessage(
  params: Params,
  handler: (request: CreateMessageRequest) => Promise<CreateMessageResult>,
): Promise<CreateMessageResult> {
  const { messages, maxTokens } = params;
  if (
    !Array.isArray(messages) ||
    !messages.every(
      (message) =>
        isObject(message) &&
        (message['role'] === 'user' || message['role'] === 'assistant') &&
        isContent(message['content']),
    )
  ) {
    throw new ProtocolError(ErrorCode.invalidParams, 'sampling/createMessage: "messages" is not a list of messages');
  }
  if (typeof maxTokens !== 'number')
    throw new ProtocolError(ErrorCode.invalidParams, 'sampling/createMessage: "maxTokens" is not a number');
  try {
    return await handler(params as unknown as CreateMessageRequest);
  } catch (error) {
    if (isCancelled(error)) throw new ProtocolError(ErrorCode.userRejected, 'User rejected sampling request');
    throw error;
  }
}

function isContent(content: unknown): boolean {
  const isBlock = (block: unknown) => isObject(block) && typeof block['type'] === 'string';
  return Array.isArray(content) ? content.every(isBlock) : isBlock(content);
}

async function elicit(
  params: Params,
  handler: (request: ElicitRequest) => Promise<ElicitResult>,
): Promise<ElicitResult> {
  const { message, url, requestedSchema, elicitationId, _meta } = params;
  // An absent mode means `form` (specification 2025-11-25, elicitation).
  const mode = params['mode'] ?? 'form';
  if (typeof message !== 'string')
    throw new ProtocolError(ErrorCode.invalidParams, 'elicitation/create: "message" is not a string');
  const meta = isObject(_meta) ? { _meta } : {};
  if (mode === 'url') {
    if (typeof url !== 'string')
      throw new ProtocolError(ErrorCode.invalidParams, 'elicitation/create: "url" is not a string');
    const request: ElicitRequest = {
      mode,
      message,
      url,
      ...(typeof elicitationId === 'string' ? { elicitationId } : {}),
      ...meta,
    };
    const { action } = await handler(request);
    return { action };
  }
  if (mode !== 'form')
    throw new ProtocolError(
      ErrorCode.invalidParams,
      `elicitation/create: unknown mode ${visibleLine(JSON.stringify(mode) ?? '', 40)}`,
    );
  if (!isObject(requestedSchema))
    throw new ProtocolError(ErrorCode.invalidParams, 'elicitation/create: "requestedSchema" is not an object');
  const answer = await handler({ mode, message, requestedSchema, ...meta });
  if (answer.action !== 'accept') return { action: answer.action };
  return { action: 'accept', content: withDefaults(requestedSchema, answer.content ?? {}) };
}

/** Fills in the schema's defaults for values that the user omitted (SEP-1034). */
function withDefaults(schema: JsonSchema, content: Record<string, unknown>): Record<string, unknown> {
  const properties = schema['properties'];
  if (!isObject(properties)) return content;
  const filled: [string, unknown][] = Object.entries(content);
  for (const [key, property] of Object.entries(properties)) {
    if (!Object.hasOwn(content, key) && isObject(property) && property['default'] !== undefined)
      filled.push([key, property['default']]);
  }
  return Object.fromEntries(filled);
}
