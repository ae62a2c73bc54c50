import type { Disposable } from '../base/disposable.js';
import { Emitter } from '../base/event.js';
import type { TapHolder } from './messageTap.js';
import type { TraceLimits } from './traceLog.js';
import { TraceLog } from './traceLog.js';
import { TraceRecorder } from './traceRecorder.js';
import type { SchemaOfTool } from './traceSecrets.js';

interface Trace {
  readonly slot: TapHolder;
  /** Present from the first start on; kept when capturing stops. */
  log?: TraceLog;
}

/** Held for all servers together, in characters: what is over comes off the largest. */
const maxTotalBytes = 128 << 20;

/** The captures of all servers: none until somebody starts one, and none is kept longer than the host lives. */
export class Traces implements Disposable {
  private readonly changes = new Emitter<{ server: string }>();
  /** Capturing of a server started or stopped. */
  readonly onDidChange = this.changes.event;
  private readonly traces = new Map<string, Trace>();
  /** Of all traces: looked through with every message. */
  private logs: TraceLog[] = [];
  private wasAlwaysOn: boolean;

  constructor(
    /** Whether a server is captured from its first message on. */
    private readonly isAlwaysOn: () => boolean = () => false,
    private readonly limits: TraceLimits = {},
    /** What is known about the tools of a server. */
    private readonly schemasOf: (server: string) => SchemaOfTool = () => () => undefined,
  ) {
    this.wasAlwaysOn = isAlwaysOn();
  }

  /** Where the wires of a server look for a tap. */
  slotOf(server: string): TapHolder {
    const known = this.traces.get(server);
    if (known) return known.slot;
    const trace = this.ensure(server);
    if (this.isAlwaysOn()) this.start(server);
    return trace.slot;
  }

  isCapturing(server: string): boolean {
    return this.traces.get(server)?.slot.current !== undefined;
  }

  /** What was captured of a server; undefined while nothing ever was. */
  log(server: string): TraceLog | undefined {
    return this.traces.get(server)?.log;
  }

  /** Starts to capture, or goes on. */
  start(server: string): void {
    const trace = this.ensure(server);
    if (trace.slot.current) return;
    if (!trace.log) {
      trace.log = new TraceLog(this.limits, this.schemasOf(server));
      this.logs = [...this.logs, trace.log];
      trace.log.onDidChange(() => this.keepBounds());
    }
    // What was open when capturing stopped was answered unseen.
    trace.log.forgetOpen();
    trace.slot.current = new TraceRecorder(trace.log);
    this.changes.fire({ server });
  }

  /** Stops; what was captured stays. */
  stop(server: string): void {
    const trace = this.traces.get(server);
    if (!trace?.slot.current) return;
    trace.slot.current = undefined;
    this.changes.fire({ server });
  }

  /** Settings were changed: where this one was, it decides for every server anew. */
  applyAlwaysOn(): void {
    const isOn = this.isAlwaysOn();
    if (isOn === this.wasAlwaysOn) return;
    this.wasAlwaysOn = isOn;
    for (const server of this.traces.keys()) {
      if (isOn) this.start(server);
      else this.stop(server);
    }
  }

  /** A server that is configured no more. */
  forget(server: string): void {
    this.stop(server);
    const log = this.log(server);
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
    const trace: Trace = { slot: { current: undefined } };
    this.traces.set(server, trace);
    return trace;
  }

  private keepBounds(): void {
    // A single log keeps its own bounds.
    if (this.logs.length < 3) return;
    let total = this.logs.reduce((sum, log) => sum + log.bytes, 0);
    while (total > maxTotalBytes) {
      const largest = this.logs.reduce((a, b) => (b.bytes > a.bytes ? b : a));
      const before = largest.bytes;
      largest.forgetOldest();
      total -= before - largest.bytes;
    }
  }
}
