/** Limits the bytes that are held at the same time. */
export class ByteBudget {
  private used = 0;

  constructor(private readonly maxBytes: number) {}

  /** The bytes of one request. They are free again when `release` was called once, and once more for each `hold`. */
  open(): HeldBytes {
    return new HeldBytes(this);
  }

  /** Adds bytes. Returns false, and adds nothing, if the maximum would be exceeded. */
  take(bytes: number): boolean {
    if (this.used + bytes > this.maxBytes) return false;
    this.used += bytes;
    return true;
  }

  free(bytes: number): void {
    this.used -= bytes;
  }
}

/** The bytes of one request that count toward a `ByteBudget`. */
export class HeldBytes {
  private taken = 0;
  private holds = 1;

  constructor(private readonly budget: ByteBudget) {}

  get size(): number {
    return this.taken;
  }

  /** Adds bytes. Returns false, and adds nothing, if the budget would be exceeded. */
  take(bytes: number): boolean {
    if (this.holds === 0 || !this.budget.take(bytes)) return false;
    this.taken += bytes;
    return true;
  }

  /** Keeps the bytes until one more `release`. */
  hold(): void {
    this.holds++;
  }

  release(): void {
    this.holds--;
    if (this.holds === 0) this.budget.free(this.taken);
  }
}
