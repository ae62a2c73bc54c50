/**
 * Receives the browser's response on this machine (RFC 8252 section 7.3): listens at the loopback redirect URI that the
 * client is registered with, otherwise on a random port of 127.0.0.1. Accepts one response with the right state. Any
 * other request gets an error page and changes nothing (security requirement A8). The page shows no text from the
 * request.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createHash, timingSafeEqual } from 'node:crypto';
import { Deferred } from '../base/deferred.js';
import { parsedUrl } from '../base/parsedUrl.js';
import type { LoopbackListener } from './loopbackListener.js';
import { isLoopbackHost, listenOnLoopback } from './loopbackListener.js';
import type { PendingRedirect, RedirectReceiver, RedirectRequest } from './redirectReceiver.js';
import { UnusableRedirect } from './redirectReceiver.js';

const host = '127.0.0.1';
const path = '/callback';

export class LoopbackReceiver implements RedirectReceiver {
  /** @param product the name to show on the page. */
  constructor(private readonly product = 'MCP Deck') {}

  async open({ state, redirectUri, isFixed = false, server }: RedirectRequest): Promise<PendingRedirect> {
    const preferred = loopbackUrl(redirectUri);
    if (isFixed && !preferred) throw new UnusableRedirect(`"${redirectUri ?? ''}" is not an http URI of this machine`);
    const expectedPath = preferred?.pathname ?? path;
    const deferred = new Deferred<URLSearchParams>();
    let isTaken = false;
    const onRequest = (request: IncomingMessage, response: ServerResponse) => {
      const params = isTaken ? undefined : paramsOf(request, expectedPath);
      if (!params || !isSame(params.get('state') ?? '', state)) {
        const text = `${this.product} is not waiting for this response.`;
        answer(request, response, isTaken ? 410 : 400, 'Nothing to do on this page', text);
        return;
      }
      isTaken = true;
      const isRefused = params.has('error') || !params.has('code');
      const text = isRefused
        ? `Return to ${this.product} to see why.`
        : `${this.product} is finishing the sign-in to ${server}. You can close this page.`;
      answer(request, response, 200, isRefused ? 'Sign-in not finished' : 'Sign-in received', text);
      // The page must be sent before the listener is closed.
      response.once('close', () => deferred.resolve(params));
    };
    const { listener, uri } = await listenAt(preferred, isFixed ? redirectUri : undefined, expectedPath, onRequest);
    return { redirectUri: uri, answer: deferred.promise, dispose: () => listener.dispose() };
  }
}

/** The registered redirect URI, if it is a loopback address on which this machine can listen. */
function loopbackUrl(redirectUri: string | undefined): URL | undefined {
  const url = redirectUri === undefined ? undefined : parsedUrl(redirectUri);
  return url?.protocol === 'http:' && isLoopbackHost(url.hostname) && url.port !== '0' ? url : undefined;
}

/** The parameters of a response; undefined for every other request. */
function paramsOf(request: IncomingMessage, expectedPath: string): URLSearchParams | undefined {
  // A page whose host name resolves to this machine (DNS rebinding) sends that name in `Host`.
  const authority = `http://${request.headers.host ?? ''}`;
  if (!URL.canParse(authority) || !isLoopbackHost(new URL(authority).hostname)) return undefined;
  // A request target such as `//` is not a valid URL.
  const target = request.url ?? '/';
  if (request.method !== 'GET' || !URL.canParse(target, `http://${host}`)) return undefined;
  const url = new URL(target, `http://${host}`);
  return url.pathname === expectedPath ? url.searchParams : undefined;
}

/**
 * Listens at the preferred address. If that fails, for example because another program uses the port, listens on
 * another port; the client is then registered again with the new address. If `fixed` (the only redirect URI that the
 * client may use) is given, rejects with UnusableRedirect instead.
 */
async function listenAt(
  preferred: URL | undefined,
  fixed: string | undefined,
  expectedPath: string,
  onRequest: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<{ listener: LoopbackListener; uri: string }> {
  if (preferred) {
    const port = Number(preferred.port || 80);
    try {
      return { listener: await listenOnLoopback(preferred.hostname, port, onRequest), uri: fixed ?? preferred.href };
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      const reason = code === 'EADDRINUSE' ? '; another program may be using the port' : '';
      if (fixed !== undefined)
        throw new UnusableRedirect(`it cannot listen on port ${port} of "redirectUri" (${code ?? message})${reason}`);
    }
  }
  const listener = await listenOnLoopback(host, 0, onRequest);
  return { listener, uri: `http://${host}:${listener.port}${expectedPath}` };
}

/**
 * Whether two states are equal. Compares in constant time, because the secret state is the only protection against
 * other programs on this machine.
 */
function isSame(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

function answer(request: IncomingMessage, response: ServerResponse, status: number, title: string, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    connection: 'close',
  });
  request.resume();
  response.end(page(title, text));
}

/** Creates the HTML page; both texts are escaped. */
export function page(title: string, text: string): string {
  const style = 'body{font:16px system-ui;margin:20vh auto;max-width:32em;padding:0 1em;color-scheme:light dark}';
  const head = `<meta charset="utf-8"><title>${escapeHtml(title)}</title><style>${style}</style>`;
  return `<!doctype html><html lang="en">${head}<h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p></html>`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}
