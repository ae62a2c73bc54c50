/**
 * All HTTP requests of this folder. Each request of a sign-in is checked against the URL policy, is limited in time and
 * size, never follows a redirect to another origin, and adds a masked step to the trace (security requirements A3, A4).
 *
 * Names are resolved before the request and every address is checked. A name that resolves to another address a moment
 * later (DNS rebinding) is not a risk: except on loopback, the scheme is https, and a host in a private network has no
 * certificate for the name.
 */
import { lookup } from 'node:dns/promises';
import { readBody } from '../base/byteCollector.js';
import type { Clock } from '../base/clock.js';
import { systemClock } from '../base/clock.js';
import { isObject } from '../base/guards.js';
import { HostError, isCancelled, messageOf } from '../base/hostError.js';
import type { AuthProblem } from '../base/hostErrorData.js';
import { parsedUrl } from '../base/parsedUrl.js';
import type { ProblemFacts } from './authProblem.js';
import { authError } from './authProblem.js';
import type { SignInStepKind, SignInTrace } from './signInTrace.js';
import type { TargetPolicy, Zone } from './urlSafety.js';
import { hostOf, targetProblem, urlFormProblem, zoneOfAddress, zoneOfHost } from './urlSafety.js';

/** The part of `fetch` that is used; `redirect` is always `manual`. */
export type AuthFetch = (url: string, init: AuthRequest) => Promise<Response>;

/** A request as it is sent. */
export interface AuthRequest {
  method: string;
  headers: Record<string, string>;
  body?: string | URLSearchParams;
  redirect: 'manual';
  signal: AbortSignal;
}

/** Options for the requests of one server. */
export interface AuthHttpOptions {
  /** Default: the global `fetch`, looked up at each call. */
  fetch?: AuthFetch;
  /** Resolves a name to all its addresses; rejects if there are none. Default: the resolver of the system. */
  resolve?: (host: string) => Promise<string[]>;
  clock?: Clock;
  /** Timeout of a whole response, ms; default 10,000. */
  timeoutMs?: number;
  /** Limit of a decompressed body, bytes; default 1 MiB. */
  maxBytes?: number;
  /** Hosts in private networks that the user allowed in the configuration. */
  trustedHosts?: readonly string[];
}

/** Data that every step of a flow needs. */
export interface Flow {
  /** The name of the server in MCP Deck, for error messages. */
  server: string;
  http: AuthHttp;
  trace: SignInTrace;
  /** Returns milliseconds since the epoch. */
  now: () => number;
  /** Cancels the flow. The abort reason is ignored. */
  signal: AbortSignal | undefined;
}

/** A response that has been read completely. */
export interface AuthAnswer {
  status: number;
  /** The parsed body if it is a JSON object. */
  json: Record<string, unknown> | undefined;
  text: string;
  headers: Headers;
}

const maxRedirects = 3;

/** Creates a HostError about the server of the flow. */
export function flowError(
  flow: Flow,
  problem: AuthProblem,
  facts: Omit<ProblemFacts, 'server'>,
  cause?: unknown,
): HostError {
  return authError(problem, { server: flow.server, ...facts }, cause);
}

export class AuthHttp {
  private readonly policy: TargetPolicy;
  private serverZone: Promise<Zone> | undefined;
  private readonly skews = new Map<string, number>();
  private readonly clock: Clock;

  constructor(
    /** The URL of the server that the sign-in is for; http or https. */
    readonly serverUrl: URL,
    private readonly options: AuthHttpOptions = {},
  ) {
    this.clock = options.clock ?? systemClock;
    this.policy = {
      serverHost: hostOf(serverUrl),
      serverZone: 'public',
      trustedHosts: new Set(options.trustedHosts?.map((host) => host.toLowerCase())),
    };
  }

  /** Parses a URL and checks that it may be requested or opened; throws `unsafe-url`. */
  async checked(flow: Flow, text: string): Promise<URL> {
    const refuse = (detail: string) => flowError(flow, 'unsafe-url', { url: text, detail });
    const url = parsedUrl(text);
    if (!url) throw refuse('it is not a URL');
    // A server with addresses in different zones is assigned to the public zone, which has the fewest rights.
    this.serverZone ??= this.zonesOf(this.policy.serverHost).then(([first = 'public', ...rest]) =>
      rest.every((zone) => zone === first) ? first : 'public',
    );
    const detail =
      urlFormProblem(url) ??
      targetProblem(url, await this.zonesOf(hostOf(url)), { ...this.policy, serverZone: await this.serverZone });
    if (detail) throw refuse(detail);
    return url;
  }

  /**
   * Number of seconds by which the clock of `origin` is ahead of the local clock, according to its last response.
   * Undefined before the first response. Small differences count as 0.
   */
  skewOf(origin: string): number | undefined {
    return this.skews.get(origin);
  }

  /**
   * Sends a request and reads the response. Follows redirects of a GET request within its origin. Throws `unsafe-url`,
   * `unreachable`, `bad-metadata`, `cancelled`.
   */
  async request(flow: Flow, kind: SignInStepKind, text: string, init: Partial<AuthRequest> = {}): Promise<AuthAnswer> {
    const { method = 'GET', headers = { accept: 'application/json' }, body } = init;
    let target = text;
    for (let redirects = 0; ; redirects++) {
      const shown = { request: `${method} ${target}`, sent: shownBody(body) };
      let answer: AuthAnswer;
      try {
        const url = await this.checked(flow, target);
        answer = await this.exchange(flow, url, { method, headers, body });
        const location = answer.headers.get('location');
        if (method === 'GET' && answer.status >= 300 && answer.status < 400 && location !== null) {
          const next = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
          if (next?.origin !== url.origin || redirects >= maxRedirects) {
            throw flowError(flow, 'bad-metadata', {
              url: target,
              detail:
                next?.origin === url.origin
                  ? `it redirects more than ${maxRedirects} times`
                  : `it redirects to ${next?.origin ?? location}, which is not followed`,
            });
          }
          flow.trace.add(kind, { ...shown, status: answer.status, note: `Redirected to ${next.href}` });
          target = next.href;
          continue;
        }
      } catch (error) {
        flow.trace.add(kind, { ...shown, note: messageOf(error) });
        throw error;
      }
      const mayLeak = (kind === 'token' || kind === 'registration') && answer.status < 300;
      const received =
        answer.json ??
        (mayLeak ? `${answer.text.length} characters that are not a JSON object` : answer.text.slice(0, 500));
      flow.trace.add(kind, { ...shown, status: answer.status, received });
      return answer;
    }
  }

  private async zonesOf(host: string): Promise<Zone[]> {
    const known = zoneOfHost(host);
    if (known) return [known];
    try {
      const { resolve = systemResolve } = this.options;
      return (await resolve(host)).map(zoneOfAddress);
    } catch {
      // On a machine that needs a proxy, names often cannot be resolved locally. The check is then left to the proxy,
      // which decides whether private addresses can be reached.
      return [];
    }
  }

  private async exchange(
    flow: Flow,
    url: URL,
    init: Pick<AuthRequest, 'method' | 'headers' | 'body'>,
  ): Promise<AuthAnswer> {
    const {
      timeoutMs = 10_000,
      maxBytes = 1_048_576,
      fetch = (target: string, request: AuthRequest) => globalThis.fetch(target, request),
    } = this.options;
    const cut = new AbortController();
    const unreachable = (detail: string, cause?: unknown) =>
      flowError(flow, 'unreachable', { url: url.origin + url.pathname, detail }, cause);
    const timer = this.clock.after(timeoutMs, () =>
      cut.abort(unreachable(`no complete response within ${timeoutMs / 1000} seconds`)),
    );
    const onAbort = () => cut.abort(new HostError('cancelled', 'The sign-in was canceled.'));
    flow.signal?.addEventListener('abort', onAbort);
    if (flow.signal?.aborted) onAbort();
    try {
      const send = () => fetch(url.href, { ...init, redirect: 'manual', signal: cut.signal });
      const response = await send().catch((error: unknown) => {
        if (cut.signal.aborted || !wasHungUp(error)) throw error;
        return send();
      });
      const skewS = Math.round((Date.parse(response.headers.get('date') ?? '') - flow.now()) / 1000);
      if (Number.isFinite(skewS)) this.skews.set(url.origin, Math.abs(skewS) > 5 ? skewS : 0);
      const text = await readBody(response, maxBytes, () => unreachable(`it is larger than ${maxBytes} bytes`));
      return { status: response.status, headers: response.headers, text, json: parseObject(text) };
    } catch (error) {
      if (cut.signal.aborted) throw cut.signal.reason;
      if (error instanceof HostError || isCancelled(error)) throw error;
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      throw unreachable(messageOf(cause) || String((cause as { code?: unknown }).code), error);
    } finally {
      cut.abort();
      timer.dispose();
      flow.signal?.removeEventListener('abort', onAbort);
    }
  }
}

/**
 * Whether the connection ended before a response began. The peer may close a kept-alive connection at the moment of its
 * reuse, and `fetch` does not report that separately, so each request that ends this way is sent once more. If the
 * first request reached the peer, its response is lost in any case.
 */
function wasHungUp(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return (
    isObject(cause) &&
    (cause['code'] === 'ECONNRESET' || cause['code'] === 'EPIPE' || cause['code'] === 'UND_ERR_SOCKET')
  );
}

async function systemResolve(host: string): Promise<string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function shownBody(body: string | URLSearchParams | undefined): unknown {
  return typeof body === 'string' ? parseObject(body) : body && Object.fromEntries(body);
}
