import type { ReadGate } from '../../protocol/slicedReader.js';

/** How many bodies of maximum size the unfinished bodies of one server may hold together. */
const maxFullBodies = 4;
/** Bodies up to this size, in bytes, are not counted, so that small answers arrive beside large ones. */
export const freeBytes = 64 * 1024;

/**
 * Limits the bytes of all unfinished bodies of one server, which it can keep open for as long as a request may take.
 * Over the limit, only the large body that began first is read, so that at least one makes progress. The other large
 * ones are paused until enough bytes are free.
 */
export class BodyBudget {
  private readonly maxHeld: number;
  private held = 0;
  /** The bodies that hold more than `freeBytes`, in the order in which they began to. */
  private readonly large = new Set<HeldBody>();

  /** @param maxBytes size limit of one body. */
  constructor(maxBytes: number) {
    this.maxHeld = maxFullBodies * maxBytes;
  }

  /** The bytes of one body. Needed only for a body that holds more than `freeBytes`. */
  open(): HeldBody {
    return new HeldBody(this);
  }

  /** Whether a large body must not be read now. */
  mustWait(body: HeldBody): boolean {
    const [first] = this.large;
    return this.held > this.maxHeld && body !== first;
  }

  /** Called when the size of a large body has changed, or when a body is no longer large. */
  changed(body: HeldBody, change: number): void {
    this.held += change;
    if (body.isLarge) this.large.add(body);
    else this.large.delete(body);
    if (change < 0) for (const one of [...this.large, body]) one.goOnIfFree();
  }
}

/** The unfinished bytes of one body. As a gate, it is held while the body must not be read. */
export class HeldBody implements ReadGate {
  /** The bytes that count; 0 for a small body. */
  private counted = 0;
  private waiting: (() => void)[] = [];

  constructor(private readonly budget: BodyBudget) {}

  get isLarge(): boolean {
    return this.counted > 0;
  }

  get isHeld(): boolean {
    return this.isLarge && this.budget.mustWait(this);
  }

  /** Sets the number of bytes. It must be set to 0 when the body has ended in any way. */
  holds(bytes: number): void {
    const counted = bytes > freeBytes ? bytes : 0;
    const change = counted - this.counted;
    if (change === 0) return;
    this.counted = counted;
    this.budget.changed(this, change);
  }

  onceFree(listener: () => void): void {
    this.waiting.push(listener);
  }

  /** Called when bytes of another body have become free. */
  goOnIfFree(): void {
    if (this.waiting.length > 0 && !this.isHeld) for (const listener of this.waiting.splice(0)) listener();
  }
}
