import type { Clock } from '../base/clock.js';
import { delay } from '../base/clock.js';
import { HostError } from '../base/hostError.js';
import type { TimeoutHold, JsonRpcPeer } from '../protocol/jsonRpcPeer.js';
import type { ElicitRequest, ElicitResult } from '../protocol/mcp.js';
import type { ServerRequestHandlers } from './serverRequests.js';

/** A page that a server wants the user to visit. */
export type UrlElicitation = Extract<ElicitRequest, { mode: 'url' }>;

/** How often it is looked whether a server still works on something while its user is on a page. Milliseconds. */
const lookMs = 250;

interface Visit {
  id: string | undefined;
  /** Aborted when the server says that the user has finished there. */
  done: AbortController;
}

/**
 * The pages that a server has sent its user to (specification 2025-11-25 and 2026-07-28, client/elicitation, URL mode). To
 * agree to a page only opens it; what is done there takes a person's time, and ends when the server tells
 * (`notifications/elicitation/complete`, 2025-11-25) or the person does. While somebody is there, no request times out.
 */
export class UrlElicitations implements TimeoutHold {
  /** Made with the first page, since most servers send nobody anywhere. */
  private visits: Set<Visit> | undefined;
  private underWay = 0;
  /** The connection; set once there is one. */
  peer: Pick<JsonRpcPeer, 'workingCount'> | undefined;

  /** @param outerHold who else keeps the server from answering. */
  constructor(
    private readonly handlers: ServerRequestHandlers,
    private readonly clock: Clock,
    private readonly outerHold?: TimeoutHold,
  ) {}

  /** True while a person is on a page of this server, or it is held otherwise. */
  get isHeld(): boolean {
    return this.underWay > 0 || this.outerHold?.isHeld === true;
  }

  /** Whether the server works on nothing. */
  private get isIdle(): boolean {
    return (this.peer?.workingCount ?? 0) === 0;
  }

  /** What the codecs are given: the same, except that a page which was opened is followed while the server goes on. */
  get followed(): ServerRequestHandlers {
    const { elicit, untilVisited } = this.handlers;
    if (!elicit || !untilVisited) return this.handlers;
    return {
      ...this.handlers,
      elicit: async (request, signal) => {
        if (request.mode !== 'url') return elicit(request, signal);
        const visit = this.expect(request);
        let answer: ElicitResult | undefined;
        try {
          answer = await elicit(request, signal);
          return answer;
        } finally {
          if (answer?.action === 'accept') void this.accompany(visit, request, untilVisited);
          else this.visits?.delete(visit);
        }
      },
    };
  }

  /** The server has seen the user finish; ids that nobody waits for are ignored. */
  complete(id: string): void {
    for (const visit of this.visits ?? []) if (visit.id === id) visit.done.abort();
  }

  /**
   * Asks the user to visit a page. Resolves with true when they agreed and have finished there, with false when they did
   * not agree. Rejects with HostError `cancelled` when they gave up on it, or with the signal's reason.
   */
  async visit(request: UrlElicitation, signal: AbortSignal): Promise<boolean> {
    const { elicit, untilVisited } = this.handlers;
    const visit = this.expect(request);
    try {
      const answer = await elicit?.(request, signal);
      if (answer?.action !== 'accept') return false;
      // Without a person to say so, the server's own word at the next try has to do.
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
      throw new HostError('cancelled', 'The user gave up on the page that the server wants visited first.');
    } finally {
      this.visits?.delete(visit);
    }
  }

  private expect({ elicitationId }: UrlElicitation): Visit {
    const visit: Visit = { id: elicitationId, done: new AbortController() };
    this.visits ??= new Set();
    this.visits.add(visit);
    return visit;
  }

  /** The server has its answer and goes on; whether it waits for the page, it does not say. */
  private async accompany(
    visit: Visit,
    request: UrlElicitation,
    untilVisited: NonNullable<ServerRequestHandlers['untilVisited']>,
  ): Promise<void> {
    const over = new AbortController();
    const ended = AbortSignal.any([visit.done.signal, over.signal]);
    this.underWay++;
    try {
      // A server that answers at once has waited for nothing, and nobody is shown a wait.
      await delay(this.clock, lookMs, ended);
      if (this.isIdle) return;
      void this.whenIdle(ended, () => over.abort());
      await untilVisited(request, ended);
    } catch {
      // The server told, is done, or is gone: there is nothing left to wait for.
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
      // It ended otherwise.
    }
  }
}
