/** Starts the servers that agents use, a few at a time. */
import type { Clock } from '../base/clock.js';
import { systemClock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import { messageOf } from '../base/hostError.js';
import type { Log } from '../base/log.js';
import type { HostApi } from '../host/hostApi.js';

/** Maximum number of concurrent starts. Slow starts do not count; see `slowStartMs`. */
const maxStarts = 4;

/** Time after which a start no longer counts toward `maxStarts`, so that the next server can start, ms. */
const slowStartMs = 2_000;

/**
 * How long the first request of an agent waits for servers that are starting, in milliseconds. The time is measured in
 * short steps. If the clock jumps, as after sleep, only the current step ends early, so servers still get time to
 * start.
 */
const startPatienceMs = 3_000;
const patienceStepMs = 300;

/** How long a request for an item that is in no list waits for servers that are starting, in milliseconds. */
const callPatienceMs = 15_000;

export interface ServerStartsOptions {
  host: Pick<HostApi, 'servers' | 'lifecycle'>;
  log: Log;
  /** Whether starts may ask through the ports of the host. */
  mayAsk: boolean;
  /** Whether a running server with an earlier definition is restarted. In a window, the user decides about it. */
  restarts: boolean;
  clock?: Clock | undefined;
}

export class ServerStarts {
  /** The definitions that servers were started with, as hashes by ID. */
  private readonly started = new Map<string, string>();
  /** The calls of `startServers` that have not ended. */
  private readonly inProgress = new Set<Promise<void>>();

  constructor(private readonly options: ServerStartsOptions) {}

  /**
   * Starts the enabled servers that have not been started with their current definition. Resolves when each has started
   * or failed. Call it again when the configuration has changed.
   */
  startServers(): Promise<void> {
    const work = this.startAll().finally(() => this.inProgress.delete(work));
    this.inProgress.add(work);
    return work;
  }

  private async startAll(): Promise<void> {
    const { servers } = this.options.host;
    const waiting = servers
      .list()
      .filter(
        ({ id, entry, switches, blocked }) =>
          entry.isEnabled && !switches?.isLeftOut && !blocked && this.started.get(id) !== entry.hash,
      )
      .map(({ id, entry }) => ({ id, hash: entry.hash }));
    for (const { id, hash } of waiting) this.started.set(id, hash);
    for (const id of [...this.started.keys()]) if (servers.get(id)?.entry.isEnabled !== true) this.started.delete(id);
    const starts: Promise<void>[] = [];
    const startNext = async (): Promise<void> => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const start = this.start(next.id);
        starts.push(start);
        await this.untilSlow(start);
      }
    };
    await Promise.all(Array.from({ length: maxStarts }, startNext));
    await Promise.all(starts);
  }

  /** Starts the servers, and waits for a limited time only. Servers that start later are missing in the first list. */
  async startInTime(): Promise<void> {
    const { host, log, clock = systemClock } = this.options;
    await atMost(startPatienceMs, this.startServers(), clock);
    const late = host.servers.list().filter(({ state }) => state.kind === 'starting');
    if (late.length > 0)
      log.write(
        'info',
        `These servers are still starting, so the first list for agents lacks their tools: ${late.map(({ id }) => id).join(', ')}`,
      );
  }

  /**
   * Resolves when the servers that are starting have started or failed, at the latest after 15 s. Undefined if no
   * server is starting.
   */
  whenStarted(): Promise<void> | undefined {
    if (this.inProgress.size === 0) return undefined;
    const all = Promise.allSettled(this.inProgress).then(() => undefined);
    return atMost(callPatienceMs, all, this.options.clock ?? systemClock);
  }

  private async untilSlow(start: Promise<void>): Promise<void> {
    const { clock = systemClock } = this.options;
    let limit: Disposable | undefined;
    const isSlow = new Promise<void>((resolve) => (limit = clock.after(slowStartMs, resolve)));
    await Promise.race([start, isSlow]);
    limit?.dispose();
  }

  private async start(id: string): Promise<void> {
    const { host, log, mayAsk: interactive, restarts } = this.options;
    const isRunning = host.servers.get(id)?.state.kind === 'running';
    if (isRunning && !restarts) return;
    try {
      await (isRunning
        ? host.lifecycle.restart(id, { interactive })
        : host.lifecycle.start(id, { interactive, isUnlessStopped: true }));
    } catch (error) {
      log.write('warn', `${id}: ${messageOf(error)}`);
    }
  }
}

/** Waits for the work, but not longer than `ms`. */
function atMost(ms: number, work: Promise<void>, clock: Clock): Promise<void> {
  return new Promise((resolve, reject) => {
    let step: Disposable;
    const wait = (left: number) => {
      step = clock.after(Math.min(left, patienceStepMs), () =>
        left > patienceStepMs ? wait(left - patienceStepMs) : resolve(),
      );
    };
    wait(ms);
    work.then(resolve, reject).finally(() => step.dispose());
  });
}
