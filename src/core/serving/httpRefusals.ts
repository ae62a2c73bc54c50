/** Responses that the HTTP front creates itself, without a handler of the server: refusals, and JSON with a status. */
import type { ServerResponse } from 'node:http';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { ErrorCode } from '../protocol/jsonRpc.js';
import type { Refusal } from './httpGuards.js';

/** The refusal of a request above a limit. @param seconds the time after which the client may try again. */
export function tooMany(reason: string, seconds: number): Refusal {
  return { status: 429, reason, headers: { 'retry-after': String(seconds) } };
}

/** Refuses a request with an error that belongs to no JSON-RPC request. @param code default: invalid request. */
export function refuse(
  response: ServerResponse,
  { status, reason, headers }: Refusal,
  code: number = ErrorCode.invalidRequest,
): void {
  // The connection is closed, so that the rest of the body need not be read.
  const close: Record<string, string> = status === 413 || status === 429 ? { connection: 'close' } : {};
  // An error of the HTTP front is not a response to a JSON-RPC request, so it has no ID (specification: streamable
  // HTTP, "Sending messages").
  sendJson(response, status, { jsonrpc: '2.0', error: { code, message: reason } }, { ...headers, ...close });
}

/** Sends a value as JSON, and ends the response. */
export function sendJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): void {
  const body = Buffer.from(JSON.stringify(value));
  response
    .writeHead(status, { ...headers, 'content-type': 'application/json', 'content-length': body.length })
    .end(body);
}

/** Refuses a request to upgrade to another protocol, for which Node creates no response object. */
export function refuseUpgrade(socket: Duplex, { status, reason, headers = {} }: Refusal): void {
  const lines = Object.entries({
    ...headers,
    connection: 'close',
    'content-type': 'text/plain; charset=utf-8',
    'content-length': String(Buffer.byteLength(reason)),
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${reason}`);
}
