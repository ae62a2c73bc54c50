/**
 * From an unopened transport to a codec that speaks the server's era (specification 2026-07-28, basic/versioning,
 * "Backward compatibility"): `server/discover` first, `initialize` where that is not known. A session of the older era begins
 * with `initialize` on a connection of its own: bridges take whatever comes first for the start of a session, and what they
 * opened for the probe knows nothing of the client.
 */
import type { Clock } from '../base/clock.js';
import { systemClock } from '../base/clock.js';
import { HostError } from '../base/hostError.js';
import type { Implementation } from '../protocol/mcp.js';
import type { Era, LegacyRevision, Revision } from '../protocol/revisions.js';
import { isLegacyRevision, legacyRevisions } from '../protocol/revisions.js';
import type { BothAnswers, Outcome } from './askBothEras.js';
import { askBothEras, outcomeOf } from './askBothEras.js';
import type { Codec, CodecOptions, SessionListener } from './codec.js';
import type { ProbeVerdict } from './eraProbe.js';
import { classifyProbeFailure, isOlderTransport } from './eraProbe.js';
import type { LegacyIdentity } from './legacyCodec.js';
import { LegacyCodec, initialize } from './legacyCodec.js';
import type { ModernIdentity } from './modernCodec.js';
import { ModernCodec, discover } from './modernCodec.js';
import type { ServerRequestHandlers } from './serverRequests.js';
import { StartOutput } from './startOutput.js';
import type { Wire, WireOptions } from './wire.js';
import type { OpenTransport } from './wireOpener.js';
import { WireOpener, discard, noteSilence } from './wireOpener.js';

/** How long a server on a pipe or socket may stay silent on the era probe before `initialize` follows. Milliseconds. */
const defaultProbeMs = 3_000;

export type { OpenTransport } from './wireOpener.js';

export interface HandshakeOptions extends WireOptions {
  client: Implementation;
  handlers?: ServerRequestHandlers;
  /** As it is now: what is assigned to it later does not count. */
  listener?: SessionListener;
  /** Which era to speak: probe for it (default), or as told. */
  protocol?: 'auto' | 'legacy' | '2026-07-28';
  /**
   * What an earlier probe of the same definition found; saves the probe, or its impatience, and is corrected when it
   * fails.
   */
  knownEra?: Era | undefined;
  /** The legacy revision to offer; default the newest. */
  offer?: Revision;
  /** May fall back to HTTP+SSE when Streamable HTTP is not there. */
  mayFallBackToSse?: boolean;
  /** Handshake in milliseconds; default 60,000. */
  startTimeoutMs?: number;
  /** Silence of the era probe in milliseconds; default 3,000. */
  probeTimeoutMs?: number;
  /** A debugger is attached to the process: a session goes on in it where it can. Default false. */
  isDebugged?: boolean;
  signal?: AbortSignal;
}

export interface Handshaken {
  wire: Wire;
  codec: Codec;
  /**
   * The newest era that the server has shown to speak; undefined when nothing but its silence tells. Worth
   * remembering.
   */
  shownEra: Era | undefined;
}

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
  private readonly opener: WireOpener;
  private readonly startTimeoutMs: number;
  private readonly codecOptions: CodecOptions;
  private readonly offer: LegacyRevision;

  constructor(
    openTransport: OpenTransport,
    private readonly options: HandshakeOptions,
  ) {
    const { client, handlers = {}, listener = {}, clock = systemClock, startTimeoutMs = 60_000, offer } = options;
    this.clock = clock;
    this.output = new StartOutput(listener);
    this.startTimeoutMs = startTimeoutMs;
    this.opener = new WireOpener(openTransport, () => this.output.next(), { ...options, clock, startTimeoutMs });
    this.codecOptions = { client, handlers, listener, startTimeoutMs };
    this.offer = isLegacyRevision(offer) ? offer : legacyRevisions[0];
  }

  async run(): Promise<Handshaken> {
    const { protocol = 'auto', knownEra } = this.options;
    if (protocol === 'legacy') return this.legacy(await this.opener.open());
    if (protocol === '2026-07-28') return this.modern(await this.opener.open());
    if (knownEra !== 'legacy') return this.probe();
    // A verdict from before is only a short cut: when it fails, the server is probed as if it were unknown.
    const wire = await this.opener.open();
    try {
      return await this.legacy(wire);
    } catch (error) {
      if (this.options.signal?.aborted || classifyProbeFailure(error, wire.transport.kind === 'http') === 'unknown')
        throw error;
      this.output.startAgain(
        'The server did not answer as it did before; it is asked once more which revisions it speaks.',
      );
      return this.probe(error);
    }
  }

  private async modern(wire: Wire): Promise<Handshaken> {
    try {
      return this.adoptModern(wire, await this.discover(wire));
    } catch (error) {
      await discard(wire);
      throw noteSilence(error, wire);
    }
  }

  /** `initialize`; where its failure means the older transport, over that. */
  private async legacy(wire: Wire): Promise<Handshaken> {
    try {
      return this.adoptLegacy(wire, await this.initialize(wire));
    } catch (error) {
      await discard(wire);
      if (!this.options.mayFallBackToSse || !isOlderTransport(error)) throw noteSilence(error, wire);
      let older: Wire;
      try {
        older = await this.opener.open('sse');
      } catch (olderError) {
        // Where nothing speaks HTTP+SSE either, the first refusal is the one that tells the user something.
        throw isUnusableEndpoint(olderError) ? olderError : error;
      }
      try {
        return this.adoptLegacy(older, await this.initialize(older));
      } catch (olderError) {
        await discard(older);
        throw olderError;
      }
    }
  }

  /**
   * @param refused how `initialize` has just failed on a connection of its own: it is not begun again without a
   * reason.
   */
  private async probe(refused?: unknown): Promise<Handshaken> {
    const wire = await this.opener.open();
    const isHttp = wire.transport.kind === 'http';
    const answers = isHttp ? { discovered: await outcomeOf(this.discover(wire)) } : await this.askBoth(wire);
    const { discovered, initialized } = answers;
    if (discovered && 'value' in discovered) return this.takeModern(wire, discovered.value, initialized);
    if (initialized && 'value' in initialized && this.mayKeep(wire, discovered)) {
      return { ...this.adoptLegacy(wire, initialized.value), ...(discovered ? {} : { shownEra: undefined }) };
    }
    const verdict = this.verdictOf(discovered?.error, initialized, isHttp);
    if (verdict === 'legacy' && !initialized && refused === undefined && this.mayKeep(wire, discovered))
      return this.afterProbe(wire);
    const hasEnded = wire.isClosed;
    await discard(wire);
    if (verdict !== 'legacy' && verdict !== 'legacy-reconnect')
      throw noteSilence(discovered?.error ?? errorOf(initialized), wire);
    if (refused !== undefined) throw refused;
    // A server that answers as older ones should has done nothing that a person needs to read of.
    if (verdict === 'legacy') return this.legacyAlone();
    return this.legacyAlone(
      hasEnded
        ? 'ended when it was asked which revisions it speaks'
        : 'answered the question which revisions it speaks in a way of its own',
    );
  }

  /** `initialize` on the connection of the probe; where that is refused, on one without a probe. */
  private async afterProbe(wire: Wire): Promise<Handshaken> {
    try {
      return await this.legacy(wire);
    } catch (error) {
      // Over HTTP the probe left nothing behind that a second attempt could leave out.
      if (wire.transport.kind === 'http' || this.verdictOf(undefined, { error }, false) !== 'legacy-reconnect')
        throw error;
      return this.legacyAlone('refused "initialize" after it was asked which revisions it speaks');
    }
  }

  /** @param why completes a sentence that begins with "The server"; absent where nothing is wrong with it. */
  private async legacyAlone(why?: string): Promise<Handshaken> {
    this.output.startAgain(
      why === undefined
        ? undefined
        : `The server ${why}; it is started once more and asked in the way of older servers alone.`,
    );
    return this.legacy(await this.opener.open());
  }

  /** @param initialized what came of `initialize` when that was asked as well. */
  private async takeModern(
    wire: Wire,
    identity: ModernIdentity,
    initialized: BothAnswers['initialized'],
  ): Promise<Handshaken> {
    // A server of both eras that was too slow has taken up the handshake that came last.
    if (initialized && 'value' in initialized)
      return { ...this.adoptLegacy(wire, initialized.value), shownEra: 'modern' };
    if (!wire.isClosed) return this.adoptModern(wire, identity);
    this.output.startAgain('The server ended when it was asked in the way of older servers; it is started once more.');
    return this.modern(await this.opener.open());
  }

  /**
   * @param refusal of the probe. An `initialize` that only took too long says nothing of the era; any other end of it
   * asks for a connection of its own.
   */
  private verdictOf(refusal: unknown, initialized: BothAnswers['initialized'], isHttp: boolean): ProbeVerdict {
    if (this.options.signal?.aborted) return 'unknown';
    if (initialized && 'value' in initialized) return 'legacy-reconnect';
    if (refusal !== undefined) return classifyProbeFailure(refusal, isHttp);
    const error = errorOf(initialized);
    return isTimeout(error) || classifyProbeFailure(error, isHttp) === 'unknown' ? 'unknown' : 'legacy-reconnect';
  }

  /**
   * Whether a session of the older era may go on where the probe was. Of a process nothing tells a server that does not know
   * the method from a bridge that opened a session for it and passed the answer on, so only one that said nothing goes on, and
   * one with a debugger, which is attached to that process.
   */
  private mayKeep(wire: Wire, discovered: BothAnswers['discovered']): boolean {
    if (wire.isClosed) return false;
    return wire.transport.kind !== 'stdio' || discovered === undefined || this.options.isDebugged === true;
  }

  private askBoth(wire: Wire): Promise<BothAnswers> {
    const { signal, hold, knownEra, probeTimeoutMs = defaultProbeMs } = this.options;
    return askBothEras({
      // Not cancellable: a legacy server must not hear of a request that it does not know before `initialize`.
      discover: (either) =>
        discover(wire, this.codecOptions, { signal: either, timeoutMs: Infinity, isCancellable: false }),
      initialize: (either) => this.initialize(wire, either),
      // Who has spoken this era before is only slow.
      silenceMs: knownEra === 'modern' ? this.startTimeoutMs : probeTimeoutMs,
      graceMs: probeTimeoutMs,
      clock: this.clock,
      hold,
      signal,
    });
  }

  private discover(wire: Wire): Promise<ModernIdentity> {
    return discover(wire, this.codecOptions, { signal: this.options.signal, timeoutMs: this.startTimeoutMs });
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
}

function errorOf(outcome: Outcome<unknown> | undefined): unknown {
  return outcome && 'error' in outcome ? outcome.error : undefined;
}

function isTimeout(error: unknown): boolean {
  return error instanceof HostError && error.code === 'timeout';
}

/** It does speak HTTP+SSE, with an `endpoint` event that leads nowhere. */
function isUnusableEndpoint(error: unknown): boolean {
  return error instanceof HostError && error.code === 'invalid-message' && error.data.method === 'endpoint';
}
