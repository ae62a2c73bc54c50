/** Opens the connections of one start, and ends those that no session came of. */
import type { Clock } from '../base/clock.js';
import { HostError } from '../base/hostError.js';
import type { Transport } from '../transport/transport.js';
import type { WireListener, WireOptions } from './wire.js';
import { Wire } from './wire.js';

/**
 * Opens one connection attempt. `sse`: the older HTTP+SSE transport instead of Streamable HTTP, where the definition
 * leaves the choice.
 */
export type OpenTransport = (fallback: 'none' | 'sse') => Transport;

/**
 * How long each step of the shutdown may take where no session was opened, in milliseconds: nobody has work in that
 * process, and somebody waits for the failure or for the next attempt.
 */
const unusedGraceMs = 500;

export interface WireOpenerOptions extends WireOptions {
  clock: Clock;
  /** How long connecting may take, in milliseconds. */
  startTimeoutMs: number;
  signal?: AbortSignal | undefined;
}

export class WireOpener {
  constructor(
    private readonly openTransport: OpenTransport,
    /** Makes the listener of each connection. */
    private readonly listener: () => WireListener,
    private readonly options: WireOpenerOptions,
  ) {}

  /** Rejects with the transport's HostError, `timeout`, or the signal's reason; nothing is left open then. */
  async open(fallback: 'none' | 'sse' = 'none'): Promise<Wire> {
    const wire = new Wire(this.openTransport(fallback), this.listener(), this.options);
    const { clock, signal, startTimeoutMs } = this.options;
    const limit = new AbortController();
    const timer = clock.after(startTimeoutMs, () =>
      limit.abort(
        new HostError('timeout', `The server did not complete the connection within ${startTimeoutMs / 1_000} s.`, {
          data: { why: 'connect', waitedMs: startTimeoutMs },
        }),
      ),
    );
    try {
      await wire.open(signal ? AbortSignal.any([signal, limit.signal]) : limit.signal);
    } catch (error) {
      await wire.close();
      throw error;
    } finally {
      timer.dispose();
    }
    return wire;
  }
}

/** Ends a connection that no session came of; resolves when nothing is left of it. */
export function discard(wire: Wire): Promise<void> {
  return wire.close({ graceMs: unusedGraceMs });
}

/** Notes on a time-out that the process wrote nothing at all where messages belong: it may read another framing. */
export function noteSilence(error: unknown, wire: Wire): unknown {
  if (error instanceof HostError && error.code === 'timeout' && wire.transport.kind === 'stdio' && !wire.hasHeard)
    error.data.wroteNothing = true;
  return error;
}
