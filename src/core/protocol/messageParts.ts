/** The parts of JSON-RPC messages that a peer writes or reads: parameters, progress, errors, and quotes for the log. */
import { isObject } from '../base/guards.js';
import { visibleLine } from '../base/hostileText.js';
import { exactJson, jsonStart } from '../base/jsonTokens.js';
import type { Params, RequestId } from './jsonRpc.js';
import { ErrorCode, ProtocolError } from './jsonRpc.js';
import type { Progress } from './mcp.js';

/** Maximum length of a quoted value in a log line, in characters. */
const maxPreview = 80;

/**
 * JSON text of the parameters, including the members of `_meta`. A progress token of the caller is replaced by the ID
 * of the request, because progress notifications are matched by that ID.
 * @param ofEra the members of `_meta` that the era requires; they replace others of the same name.
 */
export function paramsText(
  params: Params | undefined,
  meta: Params | undefined,
  ofEra: Params | undefined,
  progressToken: number | undefined,
): string | undefined {
  const written = params?.['_meta'];
  if (meta || ofEra || written !== undefined) {
    const given = isObject(written) ? written : undefined;
    // One object is copied without adding properties to the copy, which takes much less time.
    const all: Params = meta || given ? { ...meta, ...given, ...ofEra } : { ...ofEra };
    if (progressToken !== undefined) all['progressToken'] = progressToken;
    const full: Params = { _meta: undefined, ...params };
    full['_meta'] = all;
    return exactJson(full);
  }
  const text = params && exactJson(params);
  if (progressToken === undefined) return text;
  // Concatenated as text, because copying the parameters would take as long as the rest of the request.
  const start = `{"_meta":{"progressToken":${progressToken}}`;
  return text === undefined || text === '{}' ? `${start}}` : `${start},${text.slice(1)}`;
}

/** A progress notification. A total that is not above 0, and a message that is not a string, are left out. */
export function asProgress(progress: number, params: Params): Progress {
  const { total, message } = params;
  const result: Progress = { progress };
  if (typeof total === 'number' && total > 0 && total < Infinity) result.total = total;
  if (typeof message === 'string') result.message = message;
  return result;
}

/** The error of a response. It comes from the other side and may have any form. */
export function toProtocolError(error: unknown): ProtocolError {
  if (!isObject(error))
    return new ProtocolError(
      ErrorCode.internalError,
      `The server answered with an error that is not an object: ${preview(error)}`,
    );
  const { code, message, data } = error;
  return new ProtocolError(
    typeof code === 'number' ? code : ErrorCode.internalError,
    typeof message === 'string' ? message : 'The server gave no reason.',
    data,
  );
}

/** The response to a request that failed. */
export function errorResponse(id: RequestId, code: number, message: string, data?: unknown): object {
  return { jsonrpc: '2.0', id, error: data === undefined ? { code, message } : { code, message, data } };
}

/** Whether a parsed value is a JSON-RPC 2.0 message. */
export function isMessage(value: unknown): value is Record<string, unknown> {
  return isObject(value) && value['jsonrpc'] === '2.0';
}

/** The log line about a dropped value. @param quote its beginning, see `preview`. */
export function notMessage(quote: string): string {
  return `Dropped a message that is not JSON-RPC 2.0: ${quote}`;
}

/** The start of a value as JSON. Takes the same time for values of any size. */
export function preview(value: unknown): string {
  return value === undefined ? 'undefined' : visibleLine(jsonStart(value, maxPreview), maxPreview);
}
