/**
 * Requests to one registry with the HTTP client of remote servers, so that proxies, certificate authorities and checks
 * of headers are the same. Each answer is limited in time and size. A redirect to another origin is never followed,
 * because the request may contain a token.
 */
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Clock } from '../base/clock.js';
import { delay, systemClock } from '../base/clock.js';
import { HostError } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import { CallSweep } from '../transport/http/callSweep.js';
import { openBody, readText } from '../transport/http/httpBody.js';
import { clientOptionsOf, HttpClient } from '../transport/http/httpClient.js';
import { HttpConnections } from '../transport/http/httpConnections.js';
import { connectionError } from '../transport/http/httpErrors.js';
import { parseRemoteAddress } from '../transport/http/remoteAddress.js';
import { galleryError } from './galleryError.js';
import { readEntry } from './galleryEntry.js';
import type { ServerDocument } from './listJson.js';
import { parseList } from './listJson.js';

export interface GalleryHttpOptions {
  /** Headers of every request, for example with a token. */
  headers?: Readonly<Record<string, string>>;
  /** Certificate authorities in PEM format. */
  ca?: string;
  userAgent?: string;
  /** Default: separate sockets. */
  connections?: HttpConnections;
  clock?: Clock;
  /** Limit of one answer from the request to its last byte, ms; default 20,000. */
  timeoutMs?: number;
  /** Limit of one answer, bytes; default 20 MB. */
  maxBytes?: number;
}

interface Answer {
  response: IncomingMessage;
  text: string;
}

const maxRedirects = 3;
/** Maximum number of requests to a registry that is busy. */
const maxAttempts = 3;
/** Limits of the wait between two of these requests, ms. */
const minWaitMs = 500;
const maxWaitMs = 10_000;
const busy: ReadonlySet<number> = new Set([429, 502, 503, 504]);

export class GalleryHttp {
  private readonly clock: Clock;
  private readonly client: HttpClient;
  private readonly sweep: CallSweep;
  private readonly connections: HttpConnections;

  /** @param base any URL of the registry. @throws HostError `bad-configuration` for a URL or header that cannot be used. */
  constructor(
    private readonly base: URL,
    private readonly options: GalleryHttpOptions = {},
  ) {
    this.clock = options.clock ?? systemClock;
    this.sweep = new CallSweep(this.clock);
    this.connections = options.connections ?? new HttpConnections();
    this.client = new HttpClient(
      clientOptionsOf(
        parseRemoteAddress(base.href),
        { ...options, compression: true },
        { connections: this.connections, clock: this.clock, sweep: this.sweep },
      ),
    );
  }

  /** The URL without parts that may be secret. */
  get place(): string {
    return this.client.address.label;
  }

  /**
   * Gets a document with servers. Undefined if there is none (404).
   * @param url has the origin of the registry.
   * @throws HostError `registry-failed`, `connection-refused` or `closed`; the signal's reason.
   */
  async servers(url: URL, signal?: AbortSignal): Promise<ServerDocument | undefined> {
    let target = url;
    for (let redirects = 0, attempts = 1; ;) {
      const { response, text } = await this.answer(target, signal);
      const { statusCode: status = 0, headers } = response;
      if (status >= 300 && status < 400 && headers.location !== undefined) {
        target = this.redirected(target, headers.location, ++redirects);
        continue;
      }
      if (busy.has(status) && attempts < maxAttempts) {
        attempts++;
        const seconds = Number(headers['retry-after']);
        const waitMs = Number.isFinite(seconds) ? seconds * 1_000 : minWaitMs;
        await delay(this.clock, Math.min(maxWaitMs, Math.max(minWaitMs, waitMs)), signal);
        continue;
      }
      if (status === 404) return undefined;
      if (status === 401 || status === 403) throw this.error({ problem: 'sign-in', status });
      if (status !== 200) throw this.error({ problem: 'status', status, ...said(text) });
      try {
        return await parseList(text, readEntry, signal);
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
        throw this.error({ problem: 'not-json', ...said(text) }, error);
      }
    }
  }

  /** Closes the sockets that are not shared. */
  dispose(): void {
    this.sweep.dispose();
    if (!this.options.connections) this.connections.dispose();
  }

  error(facts: Parameters<typeof galleryError>[1], cause?: unknown): HostError {
    return galleryError(this.place, facts, cause);
  }

  private redirected(from: URL, location: string, count: number): URL {
    const next = URL.canParse(location, from.href) ? new URL(location, from.href) : undefined;
    if (next?.origin !== this.base.origin)
      throw this.error({ problem: 'redirect', detail: visibleLine(next?.origin ?? location, 100) });
    if (count > maxRedirects) throw this.error({ problem: 'redirect-too-often' });
    return next;
  }

  private async answer(url: URL, signal: AbortSignal | undefined): Promise<Answer> {
    await this.client.load();
    const { timeoutMs = 20_000, maxBytes = 20_000_000 } = this.options;
    return new Promise((resolve, reject) => {
      let request: ClientRequest | undefined;
      const fail = (error: Error) => {
        finish();
        request?.destroy();
        reject(error);
      };
      const onAbort = () =>
        fail(signal?.reason instanceof Error ? signal.reason : new HostError('cancelled', 'Canceled.'));
      const timer = this.clock.after(timeoutMs, () => fail(this.error({ problem: 'timeout', limit: timeoutMs })));
      const finish = () => {
        timer.dispose();
        signal?.removeEventListener('abort', onAbort);
      };
      const onBody = (response: IncomingMessage) => (error: Error | undefined, text: string) => {
        if (error instanceof HostError && error.code === 'too-large')
          fail(this.error({ problem: 'too-large', limit: maxBytes }));
        else if (error) fail(this.error({ problem: 'cut' }, error));
        else {
          finish();
          resolve({ response, text });
        }
      };
      if (signal?.aborted) {
        onAbort();
        return;
      }
      signal?.addEventListener('abort', onAbort, { once: true });
      const headers = { accept: 'application/json', ...this.client.commonHeaders };
      const path = `${url.pathname}${url.search}`;
      try {
        request = this.client.request('GET', path, headers, false, (response) =>
          openBody(response, (body) => readText(body, maxBytes, onBody(response)), fail),
        );
        request.on('error', (error) => fail(connectionError(error, this.place)));
        request.end();
      } catch (error) {
        fail(connectionError(error, this.place));
      }
    });
  }
}

/** The beginning of a body, for the message. */
function said(text: string): { detail?: string } {
  const detail = visibleLine(text.slice(0, 2_000), 200);
  return detail === '' ? {} : { detail };
}
