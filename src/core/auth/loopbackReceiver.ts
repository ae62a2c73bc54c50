/**
 * Receives the browser's response on this machine (RFC 8252 section 7.3): listens on 127.0.0.1, on a random port unless
 * a client is registered with a fixed one, accepts one response with the right state, and then closes. Any other
 * request gets an error page and changes nothing (security requirement A8). The page shows no text from the request.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createHash, timingSafeEqual } from 'node:crypto';
import { Deferred } from '../base/deferred.js';
import type { PendingRedirect, RedirectReceiver, RedirectRequest } from './redirectReceiver.js';
import { UnusableRedirect } from './redirectReceiver.js';

const host = '127.0.0.1';
const path = '/callback';

export class LoopbackReceiver implements RedirectReceiver {
  /** @param product the name to show on the page. */
  constructor(private readonly product = 'MCP Deck') {}

  async open({ state, redirectUri, isFixed = false, server }: RedirectRequest): Promise<PendingRedirect> {
    const wished = redirectUri !== undefined && URL.canParse(redirectUri) ? new URL(redirectUri) : undefined;
    const isOurs = wished?.protocol === 'http:' && (wished.hostname === host || wished.hostname === 'localhost');
    if (isFixed && !isOurs) throw new UnusableRedirect(`nothing listens at ${redirectUri ?? 'no address'}`);
    const expectedPath = isOurs ? wished.pathname : path;
    const deferred = new Deferred<URLSearchParams>();
    const { createServer } = await import('node:http');
    const listener = createServer((request, response) => {
      // `URL.canParse` is needed because a path such as `//` is not a valid URL.
      const url = URL.canParse(request.url ?? '/', `http://${host}`)
        ? new URL(request.url ?? '/', `http://${host}`)
        : undefined;
      const params = url?.searchParams ?? new URLSearchParams();
      if (
        request.method !== 'GET' ||
        url?.pathname !== expectedPath ||
        !isSame(params.get('state') ?? '', state) ||
        deferred.isSettled
      ) {
        answer(
          request,
          response,
          deferred.isSettled ? 410 : 400,
          'Nothing to do on this page',
          `${this.product} is not waiting for this request.`,
        );
        return;
      }
      const isRefused = params.has('error') || !params.has('code');
      answer(
        request,
        response,
        200,
        isRefused ? 'Sign-in not finished' : 'Answer received',
        isRefused
          ? `Return to ${this.product} to see why.`
          : `${this.product} finishes the sign-in to ${server}. You can close this page.`,
      );
      // The page must be sent before the listener is closed.
      response.once('close', () => deferred.resolve(params));
    });
    // Browsers open connections in advance and keep them open. Such connections must not keep the port or the process
    // alive.
    listener.requestTimeout = 10_000;
    const wishedPort = isOurs ? Number(wished.port || 80) : 0;
    const port = await listen(listener, wishedPort, isFixed);
    listener.unref();
    const uri =
      isOurs && port === wishedPort
        ? isFixed && redirectUri !== undefined
          ? redirectUri
          : wished.href
        : `http://${host}:${port}${expectedPath}`;
    return {
      redirectUri: uri,
      answer: deferred.promise,
      dispose: () => {
        listener.close();
        listener.closeAllConnections();
      },
    };
  }
}

/** The port of the listener: the requested one or, if it is taken, another one. */
async function listen(server: Server, wishedPort: number, isFixed: boolean): Promise<number> {
  const attempt = (port: number) =>
    new Promise<number>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, () => {
        server.off('error', reject);
        const address = server.address();
        resolve(typeof address === 'object' && address ? address.port : port);
      });
    });
  // If the port is taken, another port is used and the client is registered again.
  if (wishedPort === 0) return attempt(0);
  return attempt(wishedPort).catch((error: NodeJS.ErrnoException) => {
    if (isFixed)
      throw new UnusableRedirect(
        `port ${wishedPort} of "redirectUri" cannot be listened on (${error.code ?? error.message}); another program may use it`,
      );
    return attempt(0);
  });
}

/** Compares in constant time, because only the secret state keeps other programs on this machine out. */
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
