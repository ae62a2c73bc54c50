import type { ReadGate } from '../../protocol/slicedReader.js';

/** How many bodies of maximum size the unfinished bodies of one server may hold together. */
const maxFullBodies = 4;
/** Bytes that each body may hold in any case, so that small answers arrive beside large ones. */
const freeBytes = 64 * 1024;

/**
 * Limits the bytes of all unfinished bodies of one server, which it can keep open for as long as a request may take.
 * Over the limit, only the large body that began first is read, so that at least one makes progress. The other large
 * ones are paused until enough bytes are free.
 */
export class BodyBudget {
  private readonly maxHeld: number;
  private held = 0;
  /** The bodies that hold more than `freeBytes`, in the order in which they began to. */
  private readonly holders = new Set<HeldBody>();

  /** @param maxBytes size limit of one body. */
  constructor(maxBytes: number) {
    this.maxHeld = maxFullBodies * maxBytes;
  }

  /** The bytes of one body. Set them to 0 when the body has ended in any way. */
  open(): HeldBody {
    const body: HeldBody = new HeldBody(
      () => this.held > this.maxHeld && this.holders.has(body) && !isFirst(this.holders, body),
      (change) => this.change(body, change),
    );
    return body;
  }

  private change(body: HeldBody, change: number): void {
    this.held += change;
    if (body.bytes > freeBytes) this.holders.add(body);
    else this.holders.delete(body);
    if (change < 0) for (const holder of [...this.holders, body]) holder.goOnIfFree();
  }
}

/** The unread or unfinished bytes of one body. As a gate, it is held while the body must not be read. */
export class HeldBody implements ReadGate {
  private size = 0;
  private waiting: (() => void)[] = [];

  constructor(
    private readonly isOver: () => boolean,
    private readonly onChange: (change: number) => void,
  ) {}

  get bytes(): number {
    return this.size;
  }

  set bytes(size: number) {
    const change = size - this.size;
    if (change === 0) return;
    this.size = size;
    this.onChange(change);
  }

  get isHeld(): boolean {
    return this.isOver();
  }

  onceFree(listener: () => void): void {
    this.waiting.push(listener);
  }

  goOnIfFree(): void {
    if (this.waiting.length > 0 && !this.isHeld) for (const listener of this.waiting.splice(0)) listener();
  }
}

function isFirst<T>(all: ReadonlySet<T>, one: T): boolean {
  const [first] = all;
  return first === one;
}
