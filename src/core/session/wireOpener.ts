/** Opens the connections of one start, and closes those that did not result in a session. */
import type { Clock } from '../base/clock.js';
import { HostError } from '../base/hostError.js';
import type { Transport } from '../transport/transport.js';
import type { WireListener, WireOptions } from './wire.js';
import { Wire } from './wire.js';

/**
 * Creates the transport of one connection attempt. `sse` requests the older HTTP+SSE transport instead of Streamable
 * HTTP, if the definition allows both.
 */
export type OpenTransport = (fallback: 'none' | 'sse') => Transport;

/**
 * Time limit of each shutdown step of a connection without a session, ms. It is short, because the process has no work
 * to finish and the caller waits.
 */
const unusedGraceMs = 500;

export interface WireOpenerOptions extends WireOptions {
  clock: Clock;
  /** Timeout for connecting, ms. */
  startTimeoutMs: number;
  signal?: AbortSignal | undefined;
}

export class WireOpener {
  constructor(
    private readonly openTransport: OpenTransport,
    /** Creates the listener of each connection. */
    private readonly listener: () => WireListener,
    private readonly options: WireOpenerOptions,
  ) {}

  /**
   * Opens a connection. Rejects with the transport's HostError, `timeout`, or the signal's reason; then no connection
   * stays open.
   */
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

/** Closes a connection that did not result in a session; resolves when everything is closed. */
export function discard(wire: Wire): Promise<void> {
  return wire.close({ graceMs: unusedGraceMs });
}

/** Records in a timeout error that the process wrote nothing to stdout: it may expect a different framing. */
export function noteSilence(error: unknown, wire: Wire): unknown {
  if (error instanceof HostError && error.code === 'timeout' && wire.transport.kind === 'stdio' && !wire.hasHeard)
    error.data.wroteNothing = true;
  return error;
}
