/**
 * Opens a transport, and creates the codec of the server's era (specification 2026-07-28, basic/versioning, "Backward
 * compatibility"): sends `server/discover` first, and `initialize` if the server does not know that method. If a
 * process has answered the probe, `initialize` is sent to a new process: bridges take the first request as the start of
 * a session, and the session that a bridge opened for the probe does not have the data of the client.
 */
import type { Clock } from '../base/clock.js';
import { systemClock } from '../base/clock.js';
import { HostError } from '../base/hostError.js';
import type { Implementation } from '../protocol/mcp.js';
import type { Era, LegacyRevision, Revision } from '../protocol/revisions.js';
import { isLegacyRevision, legacyRevisions } from '../protocol/revisions.js';
import type { BothAnswers, EraAnswer } from './askBothEras.js';
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

/** Time to wait for an answer to the era probe on a pipe or socket before `initialize` is sent, ms. */
const defaultProbeMs = 3_000;

export type { OpenTransport } from './wireOpener.js';

export interface HandshakeOptions extends WireOptions {
  client: Implementation;
  handlers?: ServerRequestHandlers;
  /** Copied at the start; later changes have no effect. */
  listener?: SessionListener;
  /** The era to use: detected (default), or fixed. */
  protocol?: 'auto' | 'legacy' | '2026-07-28';
  /**
   * The era that was detected earlier for the same definition. `legacy` replaces the probe; if its handshake fails, the
   * era is detected again. `modern` gives a server on a pipe or socket more time to answer the probe.
   */
  knownEra?: Era | undefined;
  /** The legacy revision to propose; default the newest. */
  proposal?: Revision;
  /** Whether to fall back to HTTP+SSE if the server has no Streamable HTTP. */
  mayFallBackToSse?: boolean;
  /** Timeout of the handshake, ms; default 60,000. */
  startTimeoutMs?: number;
  /** Time to wait for an answer to the era probe, ms; default 3,000. */
  probeTimeoutMs?: number;
  /**
   * True if a debugger is attached to the process. In that case, the session stays in this process if possible. Default
   * false.
   */
  isDebugged?: boolean;
  signal?: AbortSignal;
}

export interface Handshaken {
  wire: Wire;
  codec: Codec;
  /**
   * The newest era that the server is known to support, to be stored for the next connection. Undefined if the era was
   * only inferred from a missing answer.
   */
  shownEra: Era | undefined;
}

/** Connects and does the handshake. Rejects with HostError or ProtocolError; then no connection stays open. */
export async function shakeHands(openTransport: OpenTransport, options: HandshakeOptions): Promise<Handshaken> {
  const handshake = new Handshake(openTransport, options);
  const shaken = await handshake.run();
  shaken.wire.listener = handshake.output.kept(shaken.wire.listener);
  return shaken;
}

class Handshake {
  private readonly clock: Clock;
  readonly output: StartOutput;
  private readonly opener: WireOpener;
  private readonly startTimeoutMs: number;
  private readonly codecOptions: CodecOptions;
  private readonly proposal: LegacyRevision;

  constructor(
    openTransport: OpenTransport,
    private readonly options: HandshakeOptions,
  ) {
    const { client, handlers = {}, listener = {}, clock = systemClock, startTimeoutMs = 60_000, proposal } = options;
    this.clock = clock;
    this.output = new StartOutput(listener);
    this.startTimeoutMs = startTimeoutMs;
    this.opener = new WireOpener(openTransport, () => this.output.next(), { ...options, clock, startTimeoutMs });
    this.codecOptions = { client, handlers, listener, startTimeoutMs };
    this.proposal = isLegacyRevision(proposal) ? proposal : legacyRevisions[0];
  }

  async run(): Promise<Handshaken> {
    const { protocol = 'auto', knownEra } = this.options;
    if (protocol === 'legacy') return this.legacy(await this.opener.open());
    if (protocol === '2026-07-28') return this.modern(await this.opener.open());
    if (knownEra !== 'legacy') return this.probe();
    // The stored era is only a shortcut. If it fails, the server is probed as if nothing were known about it.
    const wire = await this.opener.open();
    try {
      return await this.legacy(wire);
    } catch (error) {
      if (this.options.signal?.aborted || classifyProbeFailure(error, wire.transport.kind === 'http') === 'unknown')
        throw error;
      this.output.startAgain(
        'The handshake of the previously detected protocol era failed; the era is detected again.',
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

  /** Sends `initialize`; if its failure indicates the older transport, repeats it over that transport. */
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
        // If the server does not support HTTP+SSE either, the first error is more useful to the user.
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
   * Detects the era with a probe, and completes the handshake.
   * @param refused the error with which `initialize` has just failed on a connection without a probe. If present, that
   * attempt is not repeated.
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
    // The server behaved as a legacy server should, so nothing is logged.
    if (verdict === 'legacy') return this.legacyAlone();
    return this.legacyAlone(hasEnded ? 'ended on "server/discover"' : 'gave an unexpected answer to "server/discover"');
  }

  /**
   * Sends `initialize` on the connection of the probe. If that is refused, sends it on a connection without a probe.
   */
  private async afterProbe(wire: Wire): Promise<Handshaken> {
    try {
      return await this.legacy(wire);
    } catch (error) {
      // Over HTTP the probe has no lasting effect, so a second attempt would not differ.
      if (wire.transport.kind === 'http' || this.verdictOf(undefined, { error }, false) !== 'legacy-reconnect')
        throw error;
      return this.legacyAlone('refused "initialize" after "server/discover"');
    }
  }

  /**
   * Does the legacy handshake on a new connection without a probe.
   * @param why completes a sentence that begins with "The server"; absent if nothing is wrong with it.
   */
  private async legacyAlone(why?: string): Promise<Handshaken> {
    this.output.startAgain(
      why === undefined ? undefined : `The server ${why}; it is started again with "initialize" only.`,
    );
    return this.legacy(await this.opener.open());
  }

  /**
   * Completes the handshake after a successful `server/discover`.
   * @param initialized the outcome of `initialize`, if it was sent as well.
   */
  private async takeModern(
    wire: Wire,
    identity: ModernIdentity,
    initialized: BothAnswers['initialized'],
  ): Promise<Handshaken> {
    // A slow server that supports both eras has accepted the handshake that was sent last.
    if (initialized && 'value' in initialized)
      return { ...this.adoptLegacy(wire, initialized.value), shownEra: 'modern' };
    if (!wire.isClosed) return this.adoptModern(wire, identity);
    this.output.startAgain('The server ended on "initialize"; it is started again.');
    return this.modern(await this.opener.open());
  }

  /**
   * Determines the era from the outcomes of both requests.
   * @param refusal the error of the probe. A failure of `initialize` does not decide the era if it is a timeout or does
   * not depend on the era; any other failure of `initialize` requires a separate connection.
   */
  private verdictOf(refusal: unknown, initialized: BothAnswers['initialized'], isHttp: boolean): ProbeVerdict {
    if (this.options.signal?.aborted) return 'unknown';
    if (initialized && 'value' in initialized) return 'legacy-reconnect';
    if (refusal !== undefined) return classifyProbeFailure(refusal, isHttp);
    const error = errorOf(initialized);
    return isTimeout(error) || classifyProbeFailure(error, isHttp) === 'unknown' ? 'unknown' : 'legacy-reconnect';
  }

  /**
   * Whether a legacy session may continue on the connection of the probe. A process that answered may be a bridge that
   * opened a session for the probe and forwarded the answer, which looks the same as the answer of a server that does
   * not know the method. So only a process that has not answered is kept, or one with a debugger attached.
   */
  private mayKeep(wire: Wire, discovered: BothAnswers['discovered']): boolean {
    if (wire.isClosed) return false;
    return wire.transport.kind !== 'stdio' || discovered === undefined || this.options.isDebugged === true;
  }

  private askBoth(wire: Wire): Promise<BothAnswers> {
    const { signal, hold, knownEra, probeTimeoutMs = defaultProbeMs } = this.options;
    return askBothEras({
      // The request cannot be canceled, because a legacy server must not receive a notification about an unknown
      // request before `initialize`.
      discover: (either) =>
        discover(wire, this.codecOptions, { signal: either, timeoutMs: Infinity, isCancellable: false }),
      initialize: (either) => this.initialize(wire, either),
      // A server that used this era before is probably only slow.
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
    return initialize(wire, this.codecOptions, this.proposal, signal);
  }

  private adoptModern(wire: Wire, identity: ModernIdentity): Handshaken {
    return { wire, codec: ModernCodec.adopt(wire, this.codecOptions, identity, this.clock), shownEra: 'modern' };
  }

  private adoptLegacy(wire: Wire, identity: LegacyIdentity): Handshaken {
    return { wire, codec: LegacyCodec.adopt(wire, this.codecOptions, identity, this.proposal), shownEra: 'legacy' };
  }
}

function errorOf(outcome: EraAnswer<unknown> | undefined): unknown {
  return outcome && 'error' in outcome ? outcome.error : undefined;
}

function isTimeout(error: unknown): boolean {
  return error instanceof HostError && error.code === 'timeout';
}

/** Whether the error means that the server supports HTTP+SSE, but that its `endpoint` event has an invalid URL. */
function isUnusableEndpoint(error: unknown): boolean {
  return error instanceof HostError && error.code === 'invalid-message' && error.data.method === 'endpoint';
}
