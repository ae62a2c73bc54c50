import type { Clock } from '../../base/clock.js';
import type { Outgoing } from '../../protocol/jsonRpc.js';
import { RequestTable } from '../../protocol/requestTable.js';
import type { CallSweep, SweptCall } from './callSweep.js';
import { HandshakeGate } from './handshakeGate.js';
import type { Undelivered } from './undelivered.js';

/** A message that is being sent in its own HTTP request. */
export interface MessageCall extends SweptCall {
  readonly message: Outgoing;
  /** The ID of the JSON-RPC request; unused for other messages. */
  readonly id: number;
  start(): void;
  cancel(): void;
}

/**
 * The messages in progress, for transports that send each message in its own HTTP request. Keeps the order that the
 * handshake requires, and sweeps calls without a timeout of their own.
 */
export class CallsInFlight<Call extends MessageCall> {
  private readonly requests = new RequestTable<Call>();
  /** Notifications and responses; `Undelivered` limits their number. */
  private readonly others = new Set<Call>();
  private readonly gate: HandshakeGate;

  constructor(
    clock: Clock,
    private readonly sweep: CallSweep,
    private readonly undelivered: Undelivered,
    private readonly createCall: (message: Outgoing) => Call,
  ) {
    this.gate = new HandshakeGate(clock, (message) => this.startCall(message));
  }

  send(message: Outgoing): void {
    if (message.id === undefined) this.undelivered.add(message);
    if (!this.gate.holds(message)) this.startCall(message);
  }

  /** The call whose request has this ID. */
  get(id: unknown): Call | undefined {
    return this.requests.get(id);
  }

  /** A copy of the list of calls that send requests. */
  all(): Call[] {
    return this.requests.all();
  }

  cancel(id: number): void {
    this.gate.drop(id);
    this.requests.get(id)?.cancel();
  }

  /**
   * Called when the response has arrived but the HTTP request continues: the call keeps its connection for a while, but
   * not its ID.
   */
  onLingering(call: Call): void {
    this.forget(call);
    this.sweep.add(call);
  }

  onOver(call: Call): void {
    this.sweep.delete(call);
    this.forget(call);
    if (call.message.method === 'notifications/initialized') this.gate.open();
  }

  /** Cancels all calls, including those that wait for the handshake. */
  cancelAll(): void {
    this.gate.clear();
    for (const call of [...this.requests.all(), ...this.others]) call.cancel();
  }

  private startCall(message: Outgoing): void {
    const call = this.createCall(message);
    if (message.id !== undefined) this.requests.add(call);
    else {
      this.others.add(call);
      this.sweep.add(call);
      if (message.method === 'notifications/initialized') this.gate.shut();
    }
    call.start();
  }

  private forget(call: Call): void {
    if (call.message.id !== undefined) this.requests.delete(call);
    else if (this.others.delete(call)) this.undelivered.delete(call.message);
  }
}
