import type { Disposable } from '../../core/base/disposable.js';
import type { RequestQueue, WaitingRequest } from '../../core/requests/requestQueue.js';

/** The requests that the user must answer before a run can continue. */
export interface Waits {
  /** The oldest request that waits for the user. Undefined if there is none. */
  first(): WaitingRequest | undefined;
  onDidChange(listener: () => void): Disposable;
}

/** The requests of one server and the questions about its calls that wait for the user. */
export function waitsOf(queue: RequestQueue, server: string): Waits {
  return {
    first: () =>
      queue.waiting.find(
        (request) => request.server === server && !(request.ask.kind === 'sampling' && request.ask.isAllowed),
      ),
    onDidChange: (listener) => queue.onDidChange(listener),
  };
}
