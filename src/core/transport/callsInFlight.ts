import type { Clock } from '../base/clock.js';
import type { RequestId } from '../protocol/jsonRpc.js';
import type { Outgoing } from '../protocol/outgoing.js';
import type { CallSweep, SweptCall } from './callSweep.js';
import { HandshakeGate } from './handshakeGate.js';

/** A message on its way in an HTTP request of its own. */
export interface MessageCall extends SweptCall {
  readonly message: Outgoing;
  start(): void;
  cancel(): void;
}

/**
 * The messages that are on their way, for transports that send each in a request of its own: in the order that the
 * handshake demands, and swept when nobody above times them.
 */
export class CallsInFlight<Call extends MessageCall> {
  private readonly calls = new Map<RequestId | Call, Call>();
  private readonly gate: HandshakeGate;

  constructor(
    clock: Clock,
    private readonly sweep: CallSweep,
    private readonly createCall: (message: Outgoing) => Call,
  ) {
    this.gate = new HandshakeGate(clock, (message) => this.send(message));
  }

  send(message: Outgoing): void {
    if (this.gate.holds(message)) return;
    const call = this.createCall(message);
    this.calls.set(keyOf(call), call);
    if (message.id === undefined) {
      this.sweep.add(call);
      if (message.method === 'notifications/initialized') this.gate.shut();
    }
    call.start();
  }

  /** The call that carries the request `id`. */
  get(id: RequestId): Call | undefined {
    return this.calls.get(id);
  }

  cancel(id: RequestId): void {
    this.gate.drop(id);
    this.calls.get(id)?.cancel();
  }

  /** The answer is here and the request goes on: it keeps its connection for a while, but not its id. */
  onLingering(call: Call): void {
    this.forget(call);
    this.sweep.add(call);
  }

  onOver(call: Call): void {
    this.sweep.delete(call);
    this.forget(call);
    if (call.message.method === 'notifications/initialized') this.gate.open();
  }

  /** Cancels everything, also what still waits for the handshake. */
  cancelAll(): void {
    this.gate.clear();
    for (const call of [...this.calls.values()]) call.cancel();
  }

  private forget(call: Call): void {
    if (this.calls.get(keyOf(call)) === call) this.calls.delete(keyOf(call));
  }
}

function keyOf<Call extends MessageCall>(call: Call): RequestId | Call {
  return call.message.id ?? call;
}
