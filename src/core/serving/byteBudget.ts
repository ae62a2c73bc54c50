/** The bytes of one request that count toward a `ByteBudget`. */
export interface HeldBytes {
  readonly size: number;
  /** Adds bytes. Returns false, and adds nothing, if the budget would be exceeded. */
  take(bytes: number): boolean;
  /** Keeps the bytes until one more `release`. */
  hold(): void;
  release(): void;
}

/** Limits the bytes that are held at the same time. */
export class ByteBudget {
  private used = 0;

  constructor(private readonly maxBytes: number) {}

  /** The bytes of one request. They are free again when `release` was called once, and once more for each `hold`. */
  open(): HeldBytes {
    let size = 0;
    let holds = 1;
    return {
      get size() {
        return size;
      },
      take: (bytes) => {
        if (holds === 0 || this.used + bytes > this.maxBytes) return false;
        this.used += bytes;
        size += bytes;
        return true;
      },
      hold: () => void holds++,
      release: () => {
        holds--;
        if (holds === 0) this.used -= size;
      },
    };
  }
}
