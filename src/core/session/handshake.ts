/**
 * From an unopened transport to a codec that speaks the server's era (specification 2026-07-28, basic/versioning,
 * "Backward compatibility"): `server/discover` first, `initialize` where that is not known. On pipes and sockets a server
 * may say nothing to what it does not know, and a slow one says nothing either; so silence only lets `initialize` follow,
 * and an answer to either of the two still decides.
 */
import type { Clock } from '../base/clock.js';
import { systemClock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import { HostError } from '../base/hostError.js';
import type { Implementation } from '../protocol/mcp.js';
import type { Era, LegacyRevision, Revision } from '../protocol/revisions.js';
import { isLegacyRevision, legacyRevisions } from '../protocol/revisions.js';
import type { Transport } from '../transport/transport.js';
import type { Codec, CodecOptions, SessionListener } from './codec.js';
import { classifyProbeFailure, isOlderTransport } from './eraProbe.js';
import type { LegacyIdentity } from './legacyCodec.js';
import { LegacyCodec, initialize } from './legacyCodec.js';
import type { ModernIdentity } from './modernCodec.js';
import { ModernCodec, discover } from './modernCodec.js';
import type { ServerRequestHandlers } from './serverRequests.js';
import { StartOutput } from './startOutput.js';
import type { WireOptions } from './wire.js';
import { Wire } from './wire.js';

/** How long a server on a pipe or socket may stay silent on the era probe before `initialize` follows. Milliseconds. */
const defaultProbeMs = 3_000;

/** Opens one connection attempt. `sse`: the older HTTP+SSE transport instead of Streamable HTTP, where the definition leaves the choice. */
export type OpenTransport = (fallback: 'none' | 'sse') => Transport;

export interface HandshakeOptions extends WireOptions {
  client: Implementation;
  handlers?: ServerRequestHandlers;
  /** As it is now: what is assigned to it later does not count. */
  listener?: SessionListener;
  /** Which era to speak: probe for it (default), or as told. */
  protocol?: 'auto' | 'legacy' | '2026-07-28';
  /** What an earlier probe of the same definition found; saves the probe, or its impatience, and is corrected when it fails. */
  knownEra?: Era | undefined;
  /** The legacy revision to offer; default the newest. */
  offer?: Revision;
  /** May fall back to HTTP+SSE when Streamable HTTP is not there. */
  mayFallBackToSse?: boolean;
  /** Handshake in milliseconds; default 60,000. */
  startTimeoutMs?: number;
  /** Silence of the era probe in milliseconds; default 3,000. */
  probeTimeoutMs?: number;
  signal?: AbortSignal;
}

export interface Handshaken {
  wire: Wire;
  codec: Codec;
  /** The newest era that the server has shown to speak; undefined when nothing but its silence tells. Worth remembering. */
  shownEra: Era | undefined;
}

type Outcome<T> = { value: T } | { error: unknown };

/** Connects and shakes hands. Rejects with HostError or ProtocolError; nothing is left open then. */
export async function shakeHands(openTransport: OpenTransport, options: HandshakeOptions): Promise<Handshaken> {
  const shaken = await new Handshake(openTransport, options).run();
  // Only while it starts may a line be left out.
  shaken.wire.listener = options.listener ?? {};
  return shaken;
}

class Handshake {
  private readonly clock: Clock;
  private readonly output: StartOutput;
  private readonly startTimeoutMs: number;
  private readonly codecOptions: CodecOptions;
  private readonly offer: LegacyRevision;

  constructor(
    private readonly openTransport: OpenTransport,
    private readonly options: HandshakeOptions,
  ) {
    const { client, handlers = {}, listener = {}, clock = systemClock, startTimeoutMs = 60_000, offer } = options;
    this.clock = clock;
    this.output = new StartOutput(listener);
    this.startTimeoutMs = startTimeoutMs;
    this.codecOptions = { client, handlers, listener, startTimeoutMs };
    this.offer = isLegacyRevision(offer) ? offer : legacyRevisions[0];
  }

  async run(): Promise<Handshaken> {
    const { protocol = 'auto', knownEra } = this.options;
    if (protocol === 'legacy') return this.legacy(await this.openWire());
    if (protocol === '2026-07-28') return this.modern(await this.openWire());
    if (knownEra !== 'legacy') return this.probe();
    // A verdict from before is only a short cut: when it fails, the server is probed as if it were unknown.
    const wire = await this.openWire();
    try {
      return await this.legacy(wire);
    } catch (error) {
      if (this.options.signal?.aborted || classifyProbeFailure(error, wire.transport.kind === 'http') === 'unknown') throw error;
      this.output.startAgain('The server did not answer as it did before; it is asked once more which revisions it speaks.');
      return this.probe(error);
    }
  }

  private async modern(wire: Wire): Promise<Handshaken> {
    try {
      return this.adoptModern(wire, await discover(wire, this.codecOptions, { signal: this.options.signal, timeoutMs: this.startTimeoutMs }));
    } catch (error) {
      await wire.close();
      throw error;
    }
  }

  /** `initialize`; where its failure means the older transport, over that. */
  private async legacy(wire: Wire): Promise<Handshaken> {
    try {
      return this.adoptLegacy(wire, await this.initialize(wire));
    } catch (error) {
      await wire.close();
      if (!this.options.mayFallBackToSse || !isOlderTransport(error)) throw error;
      let older: Wire;
      try {
        older = await this.openWire('sse');
      } catch (olderError) {
        // Where nothing speaks HTTP+SSE either, the first refusal is the one that tells the user something.
        throw isUnusableEndpoint(olderError) ? olderError : error;
      }
      try {
        return this.adoptLegacy(older, await this.initialize(older));
      } catch (olderError) {
        await older.close();
        throw olderError;
      }
    }
  }

  /** @param refused how `initialize` has just failed on a connection of its own: it is not begun again without a reason. */
  private async probe(refused?: unknown): Promise<Handshaken> {
    const wire = await this.openWire();
    const isHttp = wire.transport.kind === 'http';
    const { discovered, initialized } = isHttp ? { discovered: await this.discoverOverHttp(wire), initialized: undefined } : await this.askBoth(wire);

    if (discovered && 'value' in discovered) {
      // A server of both eras that was too slow has taken up the handshake that came last.
      if (initialized && 'value' in initialized) return { ...this.adoptLegacy(wire, initialized.value), shownEra: 'modern' };
      if (!wire.isClosed) return this.adoptModern(wire, discovered.value);
      this.output.startAgain('The server ended when it was asked in the way of older servers; it is started once more.');
      return this.modern(await this.openWire());
    }
    if (initialized && 'value' in initialized) {
      const shaken = this.adoptLegacy(wire, initialized.value);
      return discovered ? shaken : { ...shaken, shownEra: undefined };
    }
    const error = discovered?.error ?? initialized?.error;
    const verdict = this.options.signal?.aborted ? 'unknown' : discovered ? classifyProbeFailure(error, isHttp) : 'legacy';
    if (verdict === 'legacy' && !initialized && refused === undefined && !wire.isClosed) return this.legacy(wire);
    await wire.close();
    if (verdict !== 'legacy' && verdict !== 'legacy-reconnect') throw error;
    if (refused !== undefined) throw refused;
    if (verdict === 'legacy' && initialized) throw initialized.error;
    if (verdict === 'legacy-reconnect') this.output.startAgain('The server ended when it was asked which revisions it speaks; it is tried once more, in the way of older servers.');
    return this.legacy(await this.openWire());
  }

  private discoverOverHttp(wire: Wire): Promise<Outcome<ModernIdentity>> {
    return outcomeOf(discover(wire, this.codecOptions, { signal: this.options.signal, timeoutMs: this.startTimeoutMs }));
  }

  /**
   * Asks `server/discover`, and after a silence `initialize` behind it. What is undefined was not asked, or not answered
   * in time; an answer that comes to one is a reason to wait a little for the other.
   */
  private async askBoth(wire: Wire): Promise<{ discovered?: Outcome<ModernIdentity> | undefined; initialized?: Outcome<LegacyIdentity> | undefined }> {
    const { signal, knownEra, probeTimeoutMs = defaultProbeMs } = this.options;
    const over = new AbortController();
    const either = signal ? AbortSignal.any([signal, over.signal]) : over.signal;
    // Not cancellable: a legacy server must not hear of a request that it does not know before `initialize`.
    const discovering = outcomeOf(discover(wire, this.codecOptions, { signal: either, timeoutMs: Infinity, isCancellable: false }));
    try {
      // Who has spoken this era before is only slow.
      const early = await this.within(knownEra === 'modern' ? this.startTimeoutMs : probeTimeoutMs, discovering);
      if (early) return { discovered: early };
      const initializing = outcomeOf(this.initialize(wire, either));
      const first = await Promise.race([discovering.then((discovered) => ({ discovered })), initializing.then((initialized) => ({ initialized }))]);
      if ('initialized' in first) return 'value' in first.initialized ? first : { ...first, discovered: await this.within(probeTimeoutMs, discovering) };
      if ('value' in first.discovered) return { ...first, initialized: await this.within(probeTimeoutMs, initializing) };
      return { ...first, initialized: await initializing };
    } finally {
      over.abort(new HostError('cancelled', 'The handshake is over.'));
    }
  }

  private initialize(wire: Wire, signal = this.options.signal): Promise<LegacyIdentity> {
    return initialize(wire, this.codecOptions, this.offer, signal);
  }

  private adoptModern(wire: Wire, identity: ModernIdentity): Handshaken {
    return { wire, codec: ModernCodec.adopt(wire, this.codecOptions, identity, this.clock), shownEra: 'modern' };
  }

  private adoptLegacy(wire: Wire, identity: LegacyIdentity): Handshaken {
    return { wire, codec: LegacyCodec.adopt(wire, this.codecOptions, identity, this.offer), shownEra: 'legacy' };
  }

  /** Undefined when it takes longer; no time passes while a person holds the server. */
  private async within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
    let timer: Disposable | undefined;
    const late = new Promise<undefined>((resolve) => {
      const arm = () => (timer = this.clock.after(ms, () => (this.options.hold?.isHeld ? arm() : resolve(undefined))));
      arm();
    });
    try {
      return await Promise.race([work, late]);
    } finally {
      timer?.dispose();
    }
  }

  private async openWire(fallback: 'none' | 'sse' = 'none'): Promise<Wire> {
    const wire = new Wire(this.openTransport(fallback), this.output, this.options);
    const { signal } = this.options;
    const limit = new AbortController();
    const timer = this.clock.after(this.startTimeoutMs, () =>
      limit.abort(new HostError('timeout', `The server let nobody connect within ${this.startTimeoutMs / 1_000} s.`, { data: { waitedMs: this.startTimeoutMs } })),
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

/** It does speak HTTP+SSE, with an `endpoint` event that leads nowhere. */
function isUnusableEndpoint(error: unknown): boolean {
  return error instanceof HostError && error.code === 'invalid-message' && error.data['method'] === 'endpoint';
}

function outcomeOf<T>(work: Promise<T>): Promise<Outcome<T>> {
  return work.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
}
