import { isObject } from '../base/guards.js';
import { parsedJson } from '../base/jsonText.js';
import type { TestRequest } from './testModel.js';

/** The outcome of a request: its result or error, and everything that the server sent before it. */
export interface RequestOutcome {
  request: TestRequest;
  /** The result as the server sent it; undefined after an error. */
  result?: Record<string, unknown>;
  /**
   * Why there is no result. `code` is the JSON-RPC error code, if the server sent one. `refusal` is present if nothing
   * was sent because the server or the tool may not be used (see `refusalText`); such a step always fails with this
   * text.
   */
  error?: { code?: number; message: string; refusal?: string };
  elapsedMs: number;
  /** The number of progress notifications. */
  progress: number;
  notifications: readonly { method: string; params: unknown }[];
  /** The questions of the server, in order. */
  asked: readonly string[];
  /** How the result differs from the output schema of its tool. */
  schemaProblems: readonly string[];
}

/** The text that expectations check: text parts joined with line breaks; lists and completions as JSON. */
export function outcomeText({ request, result = {} }: RequestOutcome): string {
  switch (request.kind) {
    case 'call':
      return partsText(result['content']);
    case 'read':
      return partsText(result['contents']);
    case 'get': {
      const messages = Array.isArray(result['messages']) ? (result['messages'] as unknown[]) : [];
      const parts = messages.map((message) => (isObject(message) ? message['content'] : undefined));
      const description = typeof result['description'] === 'string' ? [result['description']] : [];
      return [...description, partsText(parts)].join('\n');
    }
    case 'list':
      return JSON.stringify(listOf(request, result));
    case 'complete':
      return JSON.stringify(isObject(result['completion']) ? (result['completion']['values'] ?? []) : []);
    case 'setLevel':
      return '';
  }
}

/** The items of a list. */
export function listOf(request: TestRequest, result: Record<string, unknown>): unknown[] {
  if (request.kind !== 'list') return [];
  const items = result[request.list === 'templates' ? 'resourceTemplates' : request.list];
  return Array.isArray(items) ? (items as unknown[]) : [];
}

/** Structured content; if there is none, the items of a list, or the JSON in the text; otherwise undefined. */
export function structuredOf(outcome: RequestOutcome): unknown {
  const { result, request } = outcome;
  if (result && 'structuredContent' in result) return result['structuredContent'];
  if (request.kind === 'list') return listOf(request, result ?? {});
  return jsonIn(outcomeText(outcome));
}

/** Maximum number of lines of a text that are parsed as JSON. A line that is not JSON takes about 10 µs. */
const maxJsonLines = 1_000;

/**
 * The JSON of a text, or of its first line that is a JSON object or list; undefined if there is none. Of the lines that
 * begin like an object or a list, only the first 1,000 are parsed, because the text is from a server.
 */
export function jsonIn(text: string): unknown {
  const whole = parsedJson(text);
  if (whole !== undefined) return whole;
  const begins = /(?:^|\n)[ \t]*[{[]/g;
  for (let count = 0; count < maxJsonLines; count++) {
    const found = begins.exec(text);
    if (!found) return undefined;
    const end = text.indexOf('\n', begins.lastIndex);
    const value = parsedJson(text.slice(found.index, end === -1 ? undefined : end));
    if (value !== undefined) return value;
  }
  return undefined;
}

function partsText(parts: unknown): string {
  if (!Array.isArray(parts)) return '';
  return parts
    .flatMap((part: unknown) => (isObject(part) && typeof part['text'] === 'string' ? [part['text']] : []))
    .join('\n');
}

/** The log messages of a request. */
export function logsOf({ notifications }: RequestOutcome): { level: unknown; data: unknown }[] {
  return notifications.flatMap(({ method, params }) =>
    method === 'notifications/message' && isObject(params) ? [{ level: params['level'], data: params['data'] }] : [],
  );
}
