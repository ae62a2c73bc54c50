/** Something that holds a resource until it is let go. `dispose` never throws and may be called twice. */
export interface Disposable {
  dispose(): void;
}

/** Wraps a function so that it runs once, however often it is disposed. */
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

/** Owns several disposables: lets them go in reverse order; what is added too late is let go at once. */
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

/** Owns "the current one": setting a new value lets the old one go. */
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
