/**
 * The requests that a server can send to its client, for each revision: the required capability, the message, and the
 * validation of the answer. How the request is sent depends on the era (see `requestContext.ts`).
 */
import { randomUUID } from 'node:crypto';
import { isObject } from '../base/guards.js';
import type { ClientCapabilities, CreateMessageRequest, ElicitRequest, JsonSchema } from '../protocol/mcp.js';
import type { Revision } from '../protocol/revisions.js';
import { isAtLeast } from '../protocol/revisions.js';

/** One request, ready to be sent. */
export interface ClientRequest {
  method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list';
  params: Record<string, unknown>;
  /** Capabilities that the client must have declared. */
  needs: ClientCapabilities;
  /** Whether a result is a valid answer to this request. */
  isAnswer(result: Record<string, unknown>): boolean;
  /** Schema of the content of an accepted form. */
  formSchema?: JsonSchema;
}

/** An elicitation: a form for the user, or a URL to open. */
export function elicitation(request: ElicitRequest, revision: Revision): ClientRequest {
  if (request.mode === 'url') {
    const { elicitationId, ...rest } = request;
    // In 2025-11-25, the notification that the user has finished needs an ID. 2026-07-28 has neither the notification
    // nor the ID.
    const params = revision === '2025-11-25' ? { ...rest, elicitationId: elicitationId ?? randomUUID() } : rest;
    return { method: 'elicitation/create', params, needs: { elicitation: { url: {} } }, isAnswer: isElicitResult };
  }
  const { mode, ...rest } = request;
  return {
    method: 'elicitation/create',
    // 2025-06-18 supports only forms and has no `mode`.
    params: isAtLeast(revision, '2025-11-25') ? { mode, ...rest } : rest,
    needs: { elicitation: { form: {} } },
    isAnswer: (result) => isElicitResult(result) && (result['action'] !== 'accept' || isObject(result['content'])),
    formSchema: request.requestedSchema,
  };
}

/** A sampling request to the client's language model. */
export function sampling(request: CreateMessageRequest): ClientRequest {
  const needs: NonNullable<ClientCapabilities['sampling']> = {};
  if (request.tools !== undefined || request.toolChoice !== undefined) needs.tools = {};
  if (request.includeContext !== undefined && request.includeContext !== 'none') needs.context = {};
  return {
    method: 'sampling/createMessage',
    params: { ...request },
    needs: { sampling: needs },
    isAnswer: (result) =>
      result['role'] === 'assistant' &&
      typeof result['model'] === 'string' &&
      typeof result['content'] === 'object' &&
      result['content'] !== null,
  };
}

/** A request for the client's roots. */
export function rootsList(): ClientRequest {
  return {
    method: 'roots/list',
    params: {},
    needs: { roots: {} },
    isAnswer: ({ roots }) =>
      Array.isArray(roots) && roots.every((root) => isObject(root) && typeof root['uri'] === 'string'),
  };
}

/** Whether the client declared the capabilities that `ask` needs. */
export function canAsk(ask: ClientRequest, declared: ClientCapabilities): boolean {
  const { elicitation: form, sampling: model, roots } = ask.needs;
  if (form) {
    const theirs = declared.elicitation;
    if (!isObject(theirs)) return false;
    if (form.url) return isObject(theirs.url);
    // Before modes existed, clients declared form support with an empty object.
    return isObject(theirs.form) || theirs.url === undefined;
  }
  if (model) {
    const theirs = declared.sampling;
    return isObject(theirs) && (!model.tools || isObject(theirs.tools)) && (!model.context || isObject(theirs.context));
  }
  return !roots || isObject(declared.roots);
}

function isElicitResult(result: Record<string, unknown>): boolean {
  return result['action'] === 'accept' || result['action'] === 'decline' || result['action'] === 'cancel';
}
