/**
 * Decides which run of the user a waiting request belongs to, so that the panel of the run opens this request and no
 * other. In most cases a server does not say which call its request belongs to. A call that waits for an answer rarely
 * asks for a second one, so a request belongs to the latest run of its server that does not wait yet.
 */
import type { Disposable } from '../base/disposable.js';
import { toDisposable } from '../base/disposable.js';
import type { RequestQueue, WaitingRequest } from './requestQueue.js';

/** The requests that the user must answer before a run can continue. */
export interface Waits {
  /** The oldest request of the run that waits for the user. Undefined if there is none. */
  first(): WaitingRequest | undefined;
  /** Reports changes. The run gets requests from now on, until the result is disposed. */
  onDidChange(listener: () => void): Disposable;
}

interface AskedRun {
  server: string;
  /** The name of the tool, for questions about its call; absent for other runs. */
  tool: string | undefined;
}

export class RequestOwners implements Disposable {
  /** The active runs, latest last. */
  private runs: AskedRun[] = [];
  /** The run of each waiting request; undefined for a request that belongs to no run. */
  private owners = new Map<string, AskedRun | undefined>();
  private readonly listener: Disposable;

  constructor(private readonly queue: RequestQueue) {
    this.listener = queue.onDidChange(() => this.assign());
  }

  /** The waiting requests of one run. */
  waitsOf(server: string, tool?: string): Waits {
    const run: AskedRun = { server, tool };
    return {
      first: () => this.queue.waiting.find(({ id }) => this.owners.get(id) === run),
      onDidChange: (listener) => {
        this.runs = [...this.runs, run];
        const changes = this.queue.onDidChange(listener);
        return toDisposable(() => {
          changes.dispose();
          this.runs = this.runs.filter((one) => one !== run);
        });
      },
    };
  }

  dispose(): void {
    this.listener.dispose();
  }

  private assign(): void {
    const before = this.owners;
    this.owners = new Map();
    for (const request of this.queue.waiting)
      this.owners.set(request.id, before.has(request.id) ? before.get(request.id) : this.ownerOf(request));
  }

  private ownerOf({ server, ask, client }: WaitingRequest): AskedRun | undefined {
    // Sampling that the user has allowed needs no answer, and a client of the gateway makes its own calls.
    if (client !== undefined || (ask.kind === 'sampling' && ask.isAllowed)) return undefined;
    const candidates = this.runs
      .filter((run) => run.server === server && (ask.kind !== 'call' || run.tool === ask.question.tool.name))
      .reverse();
    const waiting = new Set(this.owners.values());
    return candidates.find((run) => !waiting.has(run)) ?? candidates[0];
  }
}
