/**
 * One HTTP exchange, independent of MCP: redirects within the origin, authorization, and one retry if a reused
 * connection was already closed.
 */
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Disposable } from '../../base/disposable.js';
import { durationText } from '../../../shared/amountText.js';
import type { RedirectProblem } from '../../base/failureKinds.js';
import { HostError, messageOf } from '../../base/hostError.js';
import { visibleLine } from '../../base/hostileText.js';
import { authRequired, maxChallenges, readChallenge } from './authChallenge.js';
import type { AuthChallenge } from '../../auth/authorizer.js';
import { discardBody, readExcerpt } from './httpBody.js';
import type { HttpClient } from './httpClient.js';
import type { FailedResponse } from './httpErrors.js';
import { connectionError } from './httpErrors.js';
import type { RemoteAddress } from './remoteAddress.js';
import { baseUrl, withUrl } from './remoteAddress.js';
import type { HeaderMap } from './remoteHeaders.js';

const maxRedirects = 5;

/** One HTTP exchange with all its attempts. It ends with exactly one of the outcomes below, or by `cancel`. */
export abstract class HttpCall {
  private request: ClientRequest | undefined;
  private responseTimer: Disposable | undefined;
  /** The current address, after redirects. */
  protected address: RemoteAddress;
  private redirects = 0;
  private challenges = 0;
  private wasRepeated = false;
  private sentAuth: HeaderMap = {};
  private hasEnded = false;

  constructor(
    protected readonly client: HttpClient,
    private readonly method: 'GET' | 'POST' | 'DELETE',
    private readonly body?: string,
  ) {
    this.address = client.address;
  }

  /** The name of the request, worded for use within a sentence of an error message. */
  protected abstract get what(): string;

  /** All headers except those for authorization; called for each attempt. */
  protected abstract headers(): Record<string, string | number>;

  /** Receives a 2xx response; its body is not read yet. */
  protected abstract onResponse(response: IncomingMessage): void;

  /** Receives a response with any other final status. */
  protected abstract onRefusal(refusal: FailedResponse): void;

  /** Receives the error if there is no usable response. */
  protected abstract onFail(error: HostError): void;

  /** Whether the request may be sent again after a reused connection was reset without a response. */
  protected get isRepeatable(): boolean {
    return true;
  }

  /** Whether a refusal may lead to a sign-in. */
  protected get mayAuthorize(): boolean {
    return true;
  }

  protected get isStream(): boolean {
    return false;
  }

  /** Timeout of the response headers, ms; undefined if the caller has its own timeout. */
  protected get responseMs(): number | undefined {
    return undefined;
  }

  /** False once the exchange has ended. */
  protected get isOpen(): boolean {
    return !this.hasEnded;
  }

  start(): void {
    const { authorizer } = this.client;
    if (!authorizer) {
      this.launch(undefined);
      return;
    }
    try {
      const auth = authorizer.headers({ method: this.method, url: this.client.urlOf(this.address) });
      if (auth instanceof Promise) {
        auth.then(
          (headers) => this.launch(headers),
          (error: unknown) => this.fail(asHostError(error)),
        );
      } else this.launch(auth);
    } catch (error) {
      this.fail(asHostError(error));
    }
  }

  /** Ends the exchange without reporting an outcome. */
  cancel(): void {
    this.hasEnded = true;
    this.responseTimer?.dispose();
    this.request?.destroy();
  }

  /** Ends the exchange with an error and reports it. */
  protected fail(error: HostError): void {
    if (this.hasEnded) return;
    this.cancel();
    this.onFail(error);
  }

  /** Ends the exchange successfully. */
  protected finish(): void {
    this.hasEnded = true;
  }

  private launch(auth: HeaderMap | undefined): void {
    if (this.hasEnded) return;
    let request: ClientRequest;
    let hasResponse = false;
    try {
      const headers = this.headers();
      if (auth) {
        this.sentAuth = auth;
        // Names are in lower case, so that these headers replace configured headers of the same name.
        for (const name of Object.keys(auth)) headers[name.toLowerCase()] = auth[name] as string;
      }
      request = this.client.request(this.method, this.address.path, headers, this.isStream, (response) => {
        hasResponse = true;
        this.responseTimer?.dispose();
        this.receive(response);
      });
    } catch (error) {
      // Error messages of node:http contain the name of a header or the path, but never a header value.
      this.fail(
        new HostError('send-failed', `Sending ${this.what} failed: ${visibleLine(messageOf(error))}.`, {
          cause: error,
          data: { why: 'not-sent', request: this.what, detail: messageOf(error) },
        }),
      );
      return;
    }
    this.request = request;
    const { responseMs } = this;
    if (responseMs !== undefined) {
      this.responseTimer = this.client.clock.after(responseMs, () => {
        this.fail(
          new HostError(
            'timeout',
            `${this.address.label} did not answer ${this.what} within ${durationText(responseMs)}.`,
            { data: { why: 'response', place: this.address.label, request: this.what, waitedMs: responseMs } },
          ),
        );
      });
    }
    request.on('error', (error: NodeJS.ErrnoException) => {
      // Once the response has begun, the response body reports the same failure.
      if (hasResponse || request !== this.request) return;
      this.responseTimer?.dispose();
      this.breakOff(request, error);
    });
    request.end(this.body);
  }

  private breakOff(request: ClientRequest, error: NodeJS.ErrnoException): void {
    const isStale = request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
    if (isStale && this.isRepeatable && !this.wasRepeated && !this.hasEnded) {
      // The server closed the idle connection at the moment when it was reused.
      this.wasRepeated = true;
      this.start();
      return;
    }
    this.fail(connectionError(error, this.address.label));
  }

  private receive(response: IncomingMessage): void {
    if (this.hasEnded) {
      response.destroy();
      return;
    }
    const status = response.statusCode ?? 0;
    if (status < 300) {
      this.onResponse(response);
      return;
    }
    if (status === 301 || status === 302 || status === 303 || status === 307 || status === 308) {
      discardBody(response, this.client.sweep);
      this.redirect(status, response.headers.location);
      return;
    }
    readExcerpt(response, this.client.clock, (text) => {
      if (this.hasEnded) return;
      const refusal: FailedResponse = {
        status,
        contentType: response.headers['content-type'] ?? '',
        text,
        retryAfter: response.headers['retry-after'],
      };
      if (status === 401 || status === 403) this.refuse(status, response, refusal);
      else this.onRefusal(refusal);
    });
  }

  private redirect(status: number, location: string | undefined): void {
    this.redirects++;
    const verdict = judgeRedirect(this.method, status, location, this.address);
    if (this.redirects > maxRedirects || 'problem' in verdict) {
      const refusal: RedirectRefusal =
        'problem' in verdict
          ? verdict
          : { why: 'redirect-too-often', problem: `the server redirects more than ${maxRedirects} times` };
      this.fail(
        new HostError('http-status', `There is no response to ${this.what}: ${refusal.problem}.`, {
          data: {
            status,
            bodyText: '',
            why: refusal.why,
            target: refusal.leadsTo,
            request: this.what,
            redirects: maxRedirects,
          },
          hint: 'If the server has moved to a location that you trust, change its URL in the configuration.',
        }),
      );
      return;
    }
    this.address = withUrl(this.address, verdict.target);
    if (status === 301 || status === 308) this.client.moveTo(verdict.target);
    this.start();
  }

  private refuse(status: 401 | 403, response: IncomingMessage, refusal: FailedResponse): void {
    const challenge = readChallenge(
      status,
      response,
      this.method,
      baseUrl(this.address).href,
      this.sentAuth,
      refusal.text,
    );
    const { authorizer } = this.client;
    if (!authorizer || !this.mayAuthorize || this.challenges >= maxChallenges) {
      this.giveUp(challenge, refusal);
      return;
    }
    this.challenges++;
    authorizer.handleChallenge(challenge).then(
      (again) => {
        if (this.hasEnded) return;
        if (again) this.start();
        else this.giveUp(challenge, refusal);
      },
      (error: unknown) => this.fail(asHostError(error)),
    );
  }

  private giveUp(challenge: AuthChallenge, refusal: FailedResponse): void {
    if (challenge.status === 401) this.fail(authRequired(this.address.label, challenge));
    else this.onRefusal(refusal);
  }
}

/** The reason why a redirect is not followed, and the target of the redirect. */
interface RedirectRefusal {
  why: RedirectProblem;
  problem: string;
  leadsTo?: string;
}

/**
 * Decides whether to follow a redirect (security requirement H4): never to another origin, because the headers and the
 * body are meant for this origin, and never if the redirect would change a POST into another method.
 */
export function judgeRedirect(
  method: string,
  status: number,
  location: string | undefined,
  from: RemoteAddress,
): { target: URL } | RedirectRefusal {
  if (location === undefined)
    return { why: 'redirect-nowhere', problem: `the server answered with status ${status} and no new address` };
  let target: URL;
  try {
    target = new URL(location, baseUrl(from));
  } catch {
    return {
      why: 'redirect-no-url',
      leadsTo: location,
      problem: `the server redirects to "${visibleLine(location, 100)}", which is not a URL`,
    };
  }
  if (target.protocol !== 'http:' && target.protocol !== 'https:') {
    return {
      why: 'redirect-scheme',
      leadsTo: target.protocol,
      problem: `the server redirects to the scheme "${visibleLine(target.protocol, 30)}"`,
    };
  }
  if (target.origin !== from.origin)
    return {
      why: 'redirect-origin',
      leadsTo: target.origin,
      problem: `the server redirects to another origin, ${visibleLine(target.origin, 100)}`,
    };
  if (method !== 'GET' && status !== 307 && status !== 308) {
    return {
      why: 'redirect-drops-message',
      problem: `the server redirects with status ${status}, which would drop the message`,
    };
  }
  return { target };
}

function asHostError(error: unknown): HostError {
  return error instanceof HostError
    ? error
    : new HostError('internal', `Authorization failed: ${messageOf(error)}.`, { cause: error });
}
