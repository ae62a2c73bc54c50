import type { Disposable } from './disposable.js';
import { Emitter } from './event.js';

/**
 * The lifetime of one client of the gateway. The object also identifies the client for servers that run once for each
 * client (`sharing`).
 */
export class CallerLife implements Disposable {
  private readonly ended = new Emitter<void>();
  /**
   * Fired once, when the client has ended its session. For a client without sessions, it is fired when the server
   * forgets or disconnects the client.
   */
  readonly onDidEnd = this.ended.event;
  private isOver = false;

  get isEnded(): boolean {
    return this.isOver;
  }

  dispose(): void {
    this.isOver = true;
    this.ended.fire();
    this.ended.dispose();
  }
}
