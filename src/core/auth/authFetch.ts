/**
 * HTTP requests of a sign-in when a server has its own certificate authorities (`caFile`). For the server itself, only
 * these authorities are trusted, as in its transports. The issuer may be any host, so its certificate is checked with
 * the authorities of the machine first, and with those of the server if its authority is unknown. Uses node:https,
 * because `fetch` cannot be given authorities.
 */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { AuthFetch, AuthRequest } from './authHttp.js';

/**
 * Error codes of node:tls for a certificate from an unknown authority. A wrong name or an expired certificate is not in
 * this list.
 */
const unknownAuthority = new Set([
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
]);

/** Statuses without a body: the constructor of `Response` throws if it gets one of them with a body. */
const bodiless = new Set([204, 205, 304]);

/**
 * A `fetch` that uses these authorities.
 * @param ca certificate authorities as PEM.
 * @param serverUrl the server that they apply to.
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
      // Repeating the request is safe, because the connection ended in the handshake, before anything was sent.
      if (unknownAuthority.has(codeOf(error))) return request(target, init, ca);
      throw error;
    }
  };
}

async function request(url: URL, { method, headers, body, signal }: AuthRequest, ca: string): Promise<Response> {
  // VS Code replaces `request` on the default export to apply its proxy settings.
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

/** The error code; `fetch` puts it into `cause`. */
function codeOf(error: unknown): string {
  const { cause } = error as { cause?: { code?: unknown } };
  return String(cause?.code);
}
