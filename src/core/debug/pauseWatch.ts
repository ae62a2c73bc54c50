import { isObject } from '../base/guards.js';

/** Requests of the debugger. A response to one of them means that a stopped program continues. */
const goingOn: ReadonlySet<string> = new Set([
  'continue',
  'next',
  'stepIn',
  'stepOut',
  'stepBack',
  'reverseContinue',
  'goto',
  'restartFrame',
]);

/**
 * Determines from the messages of the debug adapter (Debug Adapter Protocol) whether a debugger has stopped its
 * program. Receives the messages of one session in order.
 */
export class PauseWatch {
  private held = new Set<unknown>();

  get isPaused(): boolean {
    return this.held.size > 0;
  }

  read(message: unknown): void {
    if (!isObject(message)) return;
    const body = isObject(message['body']) ? message['body'] : {};
    if (message['type'] === 'event') {
      if (message['event'] === 'stopped') this.held.add(body['threadId']);
      else if (message['event'] === 'continued') this.release(body['threadId'], body['allThreadsContinued'] !== false);
      else if (message['event'] === 'thread' && body['reason'] === 'exited') this.held.delete(body['threadId']);
      else if (message['event'] === 'terminated' || message['event'] === 'exited') this.held.clear();
    } else if (
      message['type'] === 'response' &&
      message['success'] === true &&
      goingOn.has(String(message['command']))
    ) {
      // The program continues. If it stops again, the adapter sends another `stopped` event.
      this.held.clear();
    }
  }

  private release(thread: unknown, all: boolean): void {
    if (all) this.held.clear();
    else this.held.delete(thread);
  }
}
