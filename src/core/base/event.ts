import type { Disposable } from './disposable.js';
import { toDisposable } from './disposable.js';

/** Subscribes a listener; dispose the result to stop listening. */
export type Event<T> = (listener: (value: T) => void) => Disposable;

/** An event that never fires. */
export const neverEvent: Event<never> = () => toDisposable(() => undefined);

/**
 * Fires an event. A listener that throws is reported, and the others still run; listeners that are added or removed
 * during delivery take effect at the next `fire`.
 */
export class Emitter<T> implements Disposable {
  private listeners: ((value: T) => void)[] = [];
  private disposed = false;

  /**
   * @param onListenerError receives the error of a listener; default: rethrown from a timer, so that it is never lost.
   */
  constructor(private readonly onListenerError: (error: unknown) => void = rethrowLater) {}

  readonly event: Event<T> = (listener) => {
    if (this.disposed) return toDisposable(() => undefined);
    // A wrapper, so that the same function may be subscribed twice and each subscription can be ended separately.
    const entry = (value: T) => listener(value);
    this.listeners = [...this.listeners, entry];
    return toDisposable(() => {
      this.listeners = this.listeners.filter((other) => other !== entry);
    });
  };

  fire(value: T): void {
    for (const listener of this.listeners) {
      try {
        listener(value);
      } catch (error) {
        this.onListenerError(error);
      }
    }
  }

  dispose(): void {
    this.disposed = true;
    this.listeners = [];
  }
}

function rethrowLater(error: unknown): void {
  setTimeout(() => {
    throw error;
  });
}
