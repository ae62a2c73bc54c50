/**
 * Handles HTTP requests that the server refuses because it does not know the session or the address (specification
 * 2025-11-25, transports, "Session Management": a client that gets 404 starts a new session).
 */
import type { HostErrorWith } from '../base/hostError.js';
import { HostError, isCancelled } from '../base/hostError.js';
import { meansSilence } from '../connection/livenessWatch.js';

export interface SessionRenewalOptions {
  /** Repeats the handshake on the same transport; rejects if the handshake fails. */
  open(): Promise<void>;
  /** Sends a request that every server answers. */
  ping(): Promise<unknown>;
  /** Called when the connection is unusable: the server refuses a new session, or every request in it. */
  giveUp(error: Error): void;
}

/**
 * Repeats a request once in a new session after it was refused because of a lost session. All such requests share the
 * new session. If the server refuses even a ping in the new session, the connection is given up.
 */
export class SessionRenewal {
  /** Counts sessions, so that a late refusal by an old session does not end the current one. */
  private current = 0;
  private isLost = false;
  private renewing: Promise<void> | undefined;
  private checking: Promise<HostError | undefined> | undefined;

  constructor(private readonly options: SessionRenewalOptions) {}

  /**
   * Sends a request, in a new session if the current one is lost. Rejects with the error of `send` or of the new
   * handshake, or with HostError `http-status` if the server refuses the request in the new session as well, or if the
   * connection was given up.
   */
  request<T>(send: () => Promise<T>): Promise<T> {
    if (this.isLost) return this.renew().then(() => this.request(send));
    const sentIn = this.current;
    return send().catch((error: unknown) => this.recover(error, sentIn, send));
  }

  private async recover<T>(error: unknown, sentIn: number, send: () => Promise<T>): Promise<T> {
    if (!isExpired(error)) throw await this.unlessGone(error);
    if (sentIn === this.current) {
      this.isLost = true;
      await this.renew();
    }
    const repeatedIn = this.current;
    try {
      // The server refused the request without processing it, so the request can be sent again.
      return await send();
    } catch (again) {
      if (!isExpired(again)) throw again;
      // If the session has been lost again in the meantime, the next request starts a new one.
      if (repeatedIn !== this.current) throw again;
      throw (await this.check(false)) ?? refusedAgain(again);
    }
  }

  /**
   * The error of a failed request, or the error with which the connection was given up. Without a session ID, a 404 may
   * come from the tool itself. So the request is not repeated, and only a ping checks whether the server still
   * responds.
   */
  private async unlessGone(error: unknown): Promise<unknown> {
    return isNotFound(error) ? ((await this.check(true)) ?? error) : error;
  }

  private renew(): Promise<void> {
    this.renewing ??= this.options
      .open()
      .then(
        () => {
          this.current++;
          this.isLost = false;
        },
        (error: unknown) => {
          // A server that is unreachable now may be reachable for the next request.
          if (error instanceof Error && !meansSilence(error) && !isCancelled(error)) this.options.giveUp(error);
          throw error;
        },
      )
      .finally(() => (this.renewing = undefined));
    return this.renewing;
  }

  /**
   * Checks whether the server refuses everything. Resolves with the error if the connection was given up, otherwise
   * with undefined.
   */
  private check(mayRenew: boolean): Promise<HostError | undefined> {
    this.checking ??= this.isGone(mayRenew)
      .then((status) => {
        if (status === undefined) return undefined;
        const error = gone(status);
        this.options.giveUp(error);
        return error;
      })
      .finally(() => (this.checking = undefined));
    return this.checking;
  }

  /** The status with which the server refuses even a ping; undefined if the ping is answered or fails otherwise. */
  private async isGone(mayRenew: boolean): Promise<number | undefined> {
    try {
      await this.options.ping();
      return undefined;
    } catch (error) {
      if (!isExpired(error) && !isNotFound(error)) return undefined;
      if (!mayRenew) return error.data.status;
    }
    try {
      await this.renew();
    } catch {
      // If the handshake fails now, the next request reports the failure.
      return undefined;
    }
    return this.isGone(false);
  }
}

function isExpired(error: unknown): error is HostErrorWith<'session-expired'> {
  return error instanceof HostError && error.code === 'session-expired';
}

function isNotFound(error: unknown): error is HostErrorWith<'http-status'> {
  return error instanceof HostError && error.code === 'http-status' && error.data.status === 404;
}

/** The error for a request that was refused in a new session as well, although the server answers in that session. */
function refusedAgain(error: HostErrorWith<'session-expired'>): HostError {
  const { status, method } = error.data;
  return new HostError(
    'http-status',
    `The server answered ${String(method)} with HTTP status ${status}, even in a new session.`,
    {
      data: { why: 'in-new-session', request: method, status, bodyText: '' },
      cause: error,
      hint: 'This is a fault of the server: it answers other requests.',
    },
  );
}

function gone(status: number): HostError {
  return new HostError(
    'http-status',
    `The server completes the handshake, but then answers every request with HTTP status ${status}.`,
    {
      data: { why: 'after-handshake', status, bodyText: '' },
      hint: 'Restart the server; if it runs behind a proxy, check that all requests reach the same instance.',
    },
  );
}
