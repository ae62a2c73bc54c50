import type { Disposable } from '../../core/base/disposable.js';
import type { RequestQueue, WaitingRequest } from '../../core/requests/requestQueue.js';

/** What the user has to answer before a run of a server goes on. */
export interface Waits {
  /** The oldest request of the server that needs the user; undefined if none waits. */
  first(): WaitingRequest | undefined;
  onDidChange(listener: () => void): Disposable;
}

/** The requests of one server, and the questions about its calls. */
export function waitsOf(queue: RequestQueue, server: string): Waits {
  return {
    first: () =>
      queue.waiting.find(
        (request) => request.server === server && !(request.ask.kind === 'sampling' && request.ask.isAllowed),
      ),
    onDidChange: (listener) => queue.onDidChange(listener),
  };
}
