import type { Disposable } from '../base/disposable.js';
import { Emitter } from '../base/event.js';
import type { MessageTap, TapHolder } from './messageTap.js';
import { RecentMessages } from './recentMessages.js';
import { TapGroup } from './tapGroup.js';
import type { TraceLimits } from './traceLog.js';
import { TraceLog } from './traceLog.js';
import { TraceRecorder } from './traceRecorder.js';
import type { SecretsOfTool } from './toolSecrets.js';

interface Trace {
  readonly slot: TapHolder;
  /** The latest messages while the server is not captured. */
  recent: RecentMessages | undefined;
  /** The log, which the first start creates. It is kept when capturing stops. */
  log?: TraceLog;
  /** Receives the messages for the capture or the ring buffer. */
  own?: MessageTap;
  /** The recordings that are running. */
  readonly recorders: MessageTap[];
}

/** Messages of a server from a point in time on, with a log of their own. */
export interface MessageRecording extends Disposable {
  readonly log: TraceLog;
}

/** Limit for all traces together, in characters. When it is exceeded, lines are removed from the largest trace. */
const maxTotalCharacters = 128 << 20;

/**
 * The captures of all servers. Until the user or the setting starts a capture, only the latest messages of a server are
 * kept in a small ring buffer; the capture begins with them. Nothing is kept after the host is disposed.
 */
export class Traces implements Disposable {
  private readonly changes = new Emitter<{ server: string }>();
  /** Fired when a capture or a recording of a server has started or stopped. */
  readonly onDidChange = this.changes.event;
  private readonly traces = new Map<string, Trace>();
  /** The logs of all traces. They are in an array for speed, because the array is read with every message. */
  private logs: TraceLog[] = [];
  private wasAlwaysOn: boolean;

  constructor(
    /** Whether every server is captured from its first message on. */
    private readonly isAlwaysOn: () => boolean = () => false,
    private readonly limits: TraceLimits = {},
    /** Returns the secrets of the tools of a server. */
    private readonly secretsOf: (server: string) => SecretsOfTool = () => () => undefined,
  ) {
    this.wasAlwaysOn = isAlwaysOn();
  }

  /** The holder of the tap for all wires of a server. */
  slotOf(server: string): TapHolder {
    const known = this.traces.get(server);
    if (known) return known.slot;
    const trace = this.ensure(server);
    if (this.isAlwaysOn()) this.start(server);
    return trace.slot;
  }

  isCapturing(server: string): boolean {
    const trace = this.traces.get(server);
    return trace !== undefined && trace.recent === undefined;
  }

  isRecording(server: string): boolean {
    return (this.traces.get(server)?.recorders.length ?? 0) > 0;
  }

  /** The captured messages of a server; undefined if it was never captured. */
  log(server: string): TraceLog | undefined {
    return this.traces.get(server)?.log;
  }

  /** Starts or resumes capturing. The capture begins with the latest messages that were not captured. */
  start(server: string): void {
    const trace = this.ensure(server);
    const { recent } = trace;
    if (!recent) return;
    if (!trace.log) {
      trace.log = new TraceLog(this.limits, this.secretsOf(server));
      this.logs = [...this.logs, trace.log];
      trace.log.onDidChange(() => this.keepBounds());
    }
    // Requests that were open when capturing stopped may have been answered since then.
    trace.log.forgetOpen();
    recent.moveTo(trace.log);
    trace.recent = undefined;
    this.use(trace, new TraceRecorder(trace.log));
    this.changes.fire({ server });
  }

  /** Records the messages of a server from now on, besides its trace. Dispose the result to end the recording. */
  record(server: string, limits: TraceLimits): MessageRecording {
    const trace = this.ensure(server);
    const log = new TraceLog(limits, this.secretsOf(server));
    const recorder = new TraceRecorder(log);
    trace.recorders.push(recorder);
    this.use(trace, trace.own);
    this.changes.fire({ server });
    return {
      log,
      dispose: () => {
        const index = trace.recorders.indexOf(recorder);
        if (index < 0) return;
        trace.recorders.splice(index, 1);
        if (this.traces.get(server) !== trace) return;
        this.use(trace, trace.own);
        this.changes.fire({ server });
      },
    };
  }

  /** Stops capturing; captured lines are kept. */
  stop(server: string): void {
    const trace = this.traces.get(server);
    if (!trace || trace.recent) return;
    this.hold(trace);
    this.changes.fire({ server });
  }

  /** Applies a change of the setting to every server. Does nothing if the setting has the same value as before. */
  applyAlwaysOn(): void {
    const isOn = this.isAlwaysOn();
    if (isOn === this.wasAlwaysOn) return;
    this.wasAlwaysOn = isOn;
    for (const server of this.traces.keys()) {
      if (isOn) this.start(server);
      else this.stop(server);
    }
  }

  /** Stops capturing a server that is no longer configured, and deletes its trace. */
  forget(server: string): void {
    const trace = this.traces.get(server);
    if (!trace) return;
    this.stop(server);
    trace.slot.current = undefined;
    const { log } = trace;
    this.logs = this.logs.filter((other) => other !== log);
    this.traces.delete(server);
  }

  dispose(): void {
    for (const server of [...this.traces.keys()]) this.forget(server);
    this.changes.dispose();
  }

  private ensure(server: string): Trace {
    const known = this.traces.get(server);
    if (known) return known;
    const trace: Trace = { slot: { current: undefined }, recent: undefined, recorders: [] };
    this.hold(trace);
    this.traces.set(server, trace);
    return trace;
  }

  /** Records only the latest messages from now on. */
  private hold(trace: Trace): void {
    trace.recent = new RecentMessages();
    this.use(trace, trace.recent);
  }

  private use(trace: Trace, own: MessageTap | undefined): void {
    trace.own = own;
    const taps = own ? [own, ...trace.recorders] : trace.recorders;
    trace.slot.current = taps.length > 1 ? new TapGroup(taps) : taps[0];
  }

  private keepBounds(): void {
    // One or two logs cannot exceed the total limit, because each log has a limit of its own.
    if (this.logs.length < 3) return;
    let total = this.logs.reduce((sum, log) => sum + log.characters, 0);
    while (total > maxTotalCharacters) {
      const largest = this.logs.reduce((a, b) => (b.characters > a.characters ? b : a));
      const before = largest.characters;
      largest.forgetOldest();
      total -= before - largest.characters;
    }
  }
}
