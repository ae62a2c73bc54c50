import type { Clock } from '../base/clock.js';
import { delay } from '../base/clock.js';
import { isObject } from '../base/guards.js';
import { HostError } from '../base/hostError.js';
import { ErrorCode, ProtocolError } from '../protocol/jsonRpc.js';
import type { TimeoutHold, JsonRpcPeer } from '../protocol/jsonRpcPeer.js';
import type { ElicitRequest, ElicitResult } from '../protocol/mcp.js';
import type { Era } from '../protocol/revisions.js';
import type { ServerRequestHandlers } from './serverRequests.js';

/** A page that the server asks the user to visit. */
export type UrlElicitation = Extract<ElicitRequest, { mode: 'url' }>;

/** Interval between checks of whether the server is still working while the user is on a page, ms. */
const lookMs = 250;

/** Maximum number of pages that one request may ask the user to visit. */
const maxPages = 8;

interface Visit {
  id: string | undefined;
  /** Aborted when the server reports that the user has finished. */
  done: AbortController;
}

/**
 * The pages that a server asked its user to visit (specification 2025-11-25 and 2026-07-28, client/elicitation, URL
 * mode). Accepting only opens a page. The visit takes time; it ends when the server reports completion
 * (`notifications/elicitation/complete`, 2025-11-25) or when the user reports it. During a visit no request times out.
 */
export class UrlElicitations implements TimeoutHold {
  /** Created with the first page, since most servers request none. */
  private visits: Set<Visit> | undefined;
  private underWay = 0;
  /** The peer of the connection; set once there is one. */
  peer: Pick<JsonRpcPeer, 'workingCount'> | undefined;

  /** @param outerHold another reason that pauses timeouts. */
  constructor(
    private readonly handlers: ServerRequestHandlers,
    private readonly clock: Clock,
    private readonly outerHold?: TimeoutHold,
  ) {}

  /** True while timeouts are paused: while the user is on a page of this server, or while `outerHold` is active. */
  get isHeld(): boolean {
    return this.underWay > 0 || this.outerHold?.isHeld === true;
  }

  /** Whether the server is currently processing no request. */
  private get isIdle(): boolean {
    return (this.peer?.workingCount ?? 0) === 0;
  }

  /** The handlers for the codecs: the given handlers, except that the visit of each opened page is tracked. */
  get followed(): ServerRequestHandlers {
    const { elicit, untilVisited } = this.handlers;
    if (!elicit || !untilVisited) return this.handlers;
    return {
      ...this.handlers,
      elicit: async (request, signal, key, client) => {
        if (request.mode !== 'url') return elicit(request, signal, key, client);
        const visit = this.expect(request);
        let answer: ElicitResult | undefined;
        try {
          answer = await elicit(request, signal, key, client);
          return answer;
        } finally {
          if (answer?.action === 'accept') void this.accompany(visit, request, untilVisited);
          else this.visits?.delete(visit);
        }
      },
    };
  }

  /** Handles the server's report of completion; unknown IDs are ignored. */
  complete(id: string): void {
    for (const visit of this.visits ?? []) if (visit.id === id) visit.done.abort();
  }

  /**
   * Asks the user to visit a page. Resolves to true when they accepted and have finished, to false when they declined.
   * Rejects with HostError `cancelled` when they gave up, or with the signal's reason.
   */
  async visit(request: UrlElicitation, signal: AbortSignal): Promise<boolean> {
    const { elicit, untilVisited } = this.handlers;
    const visit = this.expect(request);
    try {
      const answer = await elicit?.(request, signal);
      if (answer?.action !== 'accept') return false;
      // If the user cannot report completion, the server decides at the next attempt.
      if (!untilVisited || visit.done.signal.aborted) return true;
      this.underWay++;
      try {
        if ((await untilVisited(request, AbortSignal.any([signal, visit.done.signal]))) === 'done') return true;
      } catch (error) {
        if (signal.aborted || !visit.done.signal.aborted) throw error;
        return true;
      } finally {
        this.underWay--;
      }
      throw new HostError(
        'cancelled',
        'The user did not finish on the page that the server requires before the request.',
      );
    } finally {
      this.visits?.delete(visit);
    }
  }

  /**
   * 2025-11-25, error -32042: the user must visit pages before the request can run. Repeats the request after the user
   * has visited all pages; rejects with `error` for any other error, or if the user declines.
   */
  async afterRefusal<T>(
    error: unknown,
    era: Era,
    repeat: () => Promise<T>,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<T> {
    if (!(error instanceof ProtocolError) || error.code !== ErrorCode.urlElicitationRequired || era !== 'legacy')
      throw error;
    const elicitations =
      isObject(error.data) && Array.isArray(error.data['elicitations'])
        ? (error.data['elicitations'] as unknown[]).filter(isObject)
        : [];
    if (!this.handlers.elicit || elicitations.length === 0 || elicitations.length > maxPages) throw error;
    for (const { url, message, elicitationId } of elicitations) {
      if (typeof url !== 'string') throw error;
      const request: UrlElicitation = {
        mode: 'url',
        url,
        message: typeof message === 'string' ? message : '',
        ...(typeof elicitationId === 'string' ? { elicitationId } : {}),
      };
      if (!(await this.visit(request, signal))) throw error;
    }
    return repeat();
  }

  private expect({ elicitationId }: UrlElicitation): Visit {
    const visit: Visit = { id: elicitationId, done: new AbortController() };
    this.visits ??= new Set();
    this.visits.add(visit);
    return visit;
  }

  /**
   * Follows a page after the answer was sent to the server. The server does not state whether it waits for the page.
   */
  private async accompany(
    visit: Visit,
    request: UrlElicitation,
    untilVisited: NonNullable<ServerRequestHandlers['untilVisited']>,
  ): Promise<void> {
    const over = new AbortController();
    const ended = AbortSignal.any([visit.done.signal, over.signal]);
    this.underWay++;
    try {
      // A server that continues at once does not wait for the page, so no progress is shown.
      await delay(this.clock, lookMs, ended);
      if (this.isIdle) return;
      void this.whenIdle(ended, () => over.abort());
      await untilVisited(request, ended);
    } catch {
      // The server reported completion, finished its work, or closed the connection, so the wait is over.
    } finally {
      over.abort();
      this.underWay--;
      this.visits?.delete(visit);
    }
  }

  private async whenIdle(ended: AbortSignal, then: () => void): Promise<void> {
    try {
      while (!this.isIdle) await delay(this.clock, lookMs, ended);
      then();
    } catch {
      // The wait was aborted; see the cases in `accompany`.
    }
  }
}
