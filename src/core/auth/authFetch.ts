/**
 * Requests of a sign-in where a server has authorities of its own (`caFile`). The server itself is believed with their
 * certificates alone, as its transports do. Its issuer may be anybody: the machine's authorities count there first, and
 * the server's where those do not know the certificate. Speaks through node:https, since `fetch` takes no authorities.
 */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { AuthFetch, AuthRequest } from './authHttp.js';

/**
 * What node:tls calls certificates whose authority it does not know. Another name or another time is no such reason.
 */
const unknownAuthority = new Set([
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
]);

/** Statuses whose answer has no body; a `Response` with one is refused. */
const bodiless = new Set([204, 205, 304]);

/**
 * @param ca PEM of the authorities.
 * @param serverUrl the server that they belong to.
 */
export function fetchTrusting(ca: string, serverUrl: string): AuthFetch {
  const { host } = new URL(serverUrl);
  return async (url, init) => {
    const target = new URL(url);
    if (target.protocol !== 'https:') return globalThis.fetch(url, init);
    if (target.host === host) return request(target, init, ca);
    try {
      return await globalThis.fetch(url, init);
    } catch (error) {
      // Nothing was sent yet: the connection was given up in its handshake.
      if (unknownAuthority.has(codeOf(error))) return request(target, init, ca);
      throw error;
    }
  };
}

async function request(url: URL, { method, headers, body, signal }: AuthRequest, ca: string): Promise<Response> {
  // The default export is the object on which VS Code replaces `request`, for its proxy.
  const { default: https } = await import('node:https');
  const form = body instanceof URLSearchParams;
  const text = body === undefined ? undefined : String(body);
  const all = {
    ...(form ? { 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' } : {}),
    ...(text === undefined ? {} : { 'content-length': String(Buffer.byteLength(text)) }),
    ...headers,
  };
  return new Promise((resolve, reject) => {
    const sent = https.request(
      {
        method,
        headers: all,
        ca,
        signal,
        hostname: url.hostname.replace(/^\[|\]$/g, ''),
        port: url.port || 443,
        path: url.pathname + url.search,
      },
      (answer) => {
        try {
          resolve(asResponse(answer));
        } catch (error) {
          answer.destroy();
          reject(error);
        }
      },
    );
    sent.on('error', reject);
    sent.end(text);
  });
}

function asResponse(answer: IncomingMessage): Response {
  const { statusCode: status = 0, rawHeaders } = answer;
  const headers = new Headers();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2)
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '');
  if (!bodiless.has(status)) return new Response(Readable.toWeb(answer) as ReadableStream, { status, headers });
  answer.resume();
  return new Response(null, { status, headers });
}

/** `fetch` hides the reason in `cause`. */
function codeOf(error: unknown): string {
  const { cause } = error as { cause?: { code?: unknown } };
  return String(cause?.code);
}
