/**
 * Checks headers that repeat parts of the body (specification 2026-07-28, basic/transports/streamable-http, "Request
 * metadata" and "Server validation"). Intermediaries route by these headers, so a request whose headers and body
 * disagree is refused.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { valueAt } from '../base/guards.js';
import { visibleLine } from '../base/hostileText.js';
import type { HeaderParameter } from '../protocol/headerEncoding.js';
import { headersOfCalledTool } from '../protocol/headerEncoding.js';
import { ErrorCode, ProtocolError } from '../protocol/jsonRpc.js';
import type { Tool } from '../protocol/mcp.js';

type Params = Record<string, unknown>;

/** The parameter that `Mcp-Name` repeats, by method. */
const nameParameter: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
]);

/** Checks the headers that every request must have. Returns undefined if they match the body. */
export function standardHeaderProblem(
  headers: IncomingHttpHeaders,
  method: string,
  params: Params,
  version: string,
): ProtocolError | undefined {
  const parameter = nameParameter.get(method);
  const name = parameter === undefined ? undefined : params[parameter];
  return (
    differs('MCP-Protocol-Version', one(headers['mcp-protocol-version']), version) ??
    differs('Mcp-Method', one(headers['mcp-method']), method) ??
    (typeof name === 'string' ? differs('Mcp-Name', decoded(one(headers['mcp-name'])), name) : undefined)
  );
}

/** Checks the headers that a tool requires. @throws ProtocolError when they do not match the arguments. */
export function checkParameterHeaders(headers: IncomingHttpHeaders, tool: Tool, args: Params): void {
  const marked = headersOfCalledTool(tool.inputSchema);
  // A tool with invalid header annotations is not offered to clients of this era, so there is nothing to check.
  if ('problem' in marked) return;
  for (const parameter of marked.ok) {
    const problem = parameterProblem(headers, parameter, args);
    if (problem) throw problem;
  }
}

function parameterProblem(
  headers: IncomingHttpHeaders,
  { header, path }: HeaderParameter,
  args: Params,
): ProtocolError | undefined {
  const name = `Mcp-Param-${header}`;
  const given = decoded(one(headers[name.toLowerCase()]));
  const value = valueAt(args, path);
  if (value === undefined || value === null)
    return given === undefined ? undefined : mismatch(`${name} is present, but the body has no such value`);
  // 42 and 42.0 are the same number.
  if (typeof value === 'number' && typeof given === 'string' && /^-?\d+(\.0+)?$/.test(given) && Number(given) === value)
    return undefined;
  return differs(name, given, typeof value === 'string' ? value : JSON.stringify(value));
}

function differs(
  name: string,
  given: string | undefined | typeof undecodable,
  wanted: string,
): ProtocolError | undefined {
  if (given === wanted) return undefined;
  if (given === undefined) return mismatch(`${name} is missing`);
  if (given === undecodable) return mismatch(`${name} cannot be decoded`);
  return mismatch(`${name} is '${visibleLine(given, 80)}', but the body has '${visibleLine(wanted, 80)}'`);
}

function mismatch(problem: string): ProtocolError {
  return new ProtocolError(ErrorCode.headerMismatch, `Header mismatch: ${problem}.`);
}

const undecodable = Symbol('undecodable');

/**
 * The decoded header value, or `undecodable`. The decoding is stricter than that of most decoders, because two
 * encodings of one value must not both be accepted.
 */
function decoded(value: string | undefined): string | undefined | typeof undecodable {
  if (value === undefined) return undefined;
  if (!/^[\t\x20-\x7e]*$/.test(value)) return undecodable;
  if (!value.startsWith('=?base64?') || !value.endsWith('?=') || value.length < 11) return value;
  const text = value.slice(9, -2);
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undecodable;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(text, 'base64'));
  } catch {
    return undecodable;
  }
}

/** The value of a header. Values of a repeated header are joined with commas, and the joined value matches nothing. */
function one(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value;
}
