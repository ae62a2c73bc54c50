/**
 * Cancellation of calls. An `AbortController` with its listeners is one of the largest costs of a call through the
 * gateway, and most calls are never canceled. So the layers of a call use `LightAbort`, and make an `AbortSignal` only
 * for a function that requires one.
 */

/** The part of an `AbortSignal` that the layers of a call use. Every `AbortSignal` is one. */
export interface CallSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  /** The listener runs at most once. Not called if the signal is aborted already. */
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
  throwIfAborted(): void;
}

/** An `AbortController` and its signal in one small object. */
export class LightAbort implements CallSignal {
  aborted = false;
  reason: unknown = undefined;
  private listeners: (() => void)[] | undefined = undefined;
  private full: AbortController | undefined = undefined;

  get signal(): CallSignal {
    return this;
  }

  /** The same cancellation for functions of Node and VS Code; made on first use. */
  get abortSignal(): AbortSignal {
    if (!this.full) {
      this.full = new AbortController();
      if (this.aborted) this.full.abort(this.reason);
    }
    return this.full.signal;
  }

  /**
   * A second call has no effect. An error of a listener is rethrown from a timer, and the other listeners still run.
   */
  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    this.full?.abort(reason);
    for (let listener = this.listeners?.shift(); listener; listener = this.listeners?.shift()) {
      try {
        listener();
      } catch (error) {
        setTimeout(() => {
          throw error;
        });
      }
    }
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    if (this.aborted) return;
    if (!this.listeners) this.listeners = [listener];
    else if (!this.listeners.includes(listener)) this.listeners.push(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    const at = this.listeners?.indexOf(listener) ?? -1;
    if (at !== -1) this.listeners?.splice(at, 1);
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }
}

/** The signal as an `AbortSignal`, for functions that require one. */
export function abortSignalOf(signal: CallSignal): AbortSignal;
export function abortSignalOf(signal: CallSignal | undefined): AbortSignal | undefined;
export function abortSignalOf(signal: CallSignal | undefined): AbortSignal | undefined {
  // `instanceof LightAbort` would fail: the gateway of a window is a separate bundle with its own copy of the class.
  return signal === undefined || signal instanceof AbortSignal ? signal : (signal as LightAbort).abortSignal;
}

/** A signal that is aborted with the first of the two. */
export function eitherSignal(one: CallSignal | undefined, other: AbortSignal): AbortSignal {
  return one ? AbortSignal.any([abortSignalOf(one), other]) : other;
}
