import type { Disposable } from './disposable.js';
import { Emitter } from './event.js';

/**
 * One client of the gateway, for as long as it is known. A server that runs once for each client (`sharing`) uses it to
 * identify the client.
 */
export class CallerLife implements Disposable {
  private readonly ended = new Emitter<void>();
  /** Fired once, when the client has ended its session. A client without sessions never ends it. */
  readonly onDidEnd = this.ended.event;

  dispose(): void {
    this.ended.fire();
    this.ended.dispose();
  }
}
