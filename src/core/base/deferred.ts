/** A promise with public `resolve` and `reject`, for results that arrive by an event. */
export class Deferred<T> {
  readonly promise: Promise<T>;
  resolve!: (value: T | PromiseLike<T>) => void;
  reject!: (reason: unknown) => void;
  private done = false;

  constructor() {
    this.promise = new Promise<T>((resolve, reject) => {
      this.resolve = (value) => {
        this.done = true;
        resolve(value);
      };
      this.reject = (reason) => {
        this.done = true;
        reject(reason instanceof Error ? reason : new Error(String(reason)));
      };
    });
  }

  /** True after the first `resolve` or `reject`. */
  get isSettled(): boolean {
    return this.done;
  }
}
