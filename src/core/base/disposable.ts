/** An object that owns a resource until it is disposed. `dispose` never throws and may be called twice. */
export interface Disposable {
  dispose(): void;
}

/** Wraps a function so that it runs only once, at the first `dispose`. */
export function toDisposable(release: () => void): Disposable {
  let done = false;
  return {
    dispose() {
      if (done) return;
      done = true;
      release();
    },
  };
}

/**
 * Owns several disposables and disposes them in reverse order. An item that is added after `dispose` is disposed at
 * once.
 */
export class DisposableStore implements Disposable {
  private items: Disposable[] = [];
  private disposed = false;

  /** True once `dispose` has been called. */
  get isDisposed(): boolean {
    return this.disposed;
  }

  /** Registers `item` and returns it, so that it can be created and registered on one line. */
  add<T extends Disposable>(item: T): T {
    if (this.disposed) item.dispose();
    else this.items.push(item);
    return item;
  }

  dispose(): void {
    this.disposed = true;
    const items = this.items;
    this.items = [];
    for (let i = items.length - 1; i >= 0; i--) items[i]?.dispose();
  }
}

/** Owns one current disposable: setting a new value disposes the old one. */
export class MutableDisposable<T extends Disposable> implements Disposable {
  private current: T | undefined;
  private disposed = false;

  get value(): T | undefined {
    return this.current;
  }

  set value(next: T | undefined) {
    if (next === this.current) return;
    const previous = this.current;
    this.current = this.disposed ? undefined : next;
    previous?.dispose();
    if (this.disposed) next?.dispose();
  }

  dispose(): void {
    this.value = undefined;
    this.disposed = true;
  }
}
