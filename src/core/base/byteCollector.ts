/** A piece of at least so many bytes is kept as it came; smaller ones are copied together. */
const minKeptBytes = 16_384;
/** Bytes of the block that small pieces are copied into, at the least and at the most. */
const minBlockBytes = 1_024;
const maxBlockBytes = 1_048_576;

/**
 * Bytes that come in pieces, at a cost in memory that follows from their number. A piece alone costs several hundred bytes
 * whatever its length, and may hold a buffer far larger than itself, so a sender of single bytes would take hundreds of
 * times what it sends. Each byte is copied once at most before `take`.
 */
export class ByteCollector {
  private parts: Buffer[] = [];
  /** Where small pieces go; `used` bytes of it are waiting. */
  private block: Buffer | undefined;
  private used = 0;
  private total = 0;

  /** Bytes collected so far. */
  get size(): number {
    return this.total;
  }

  /** Adds a piece. A large one is kept and must not be changed afterwards. */
  push(bytes: Uint8Array): void {
    this.total += bytes.length;
    if (bytes.length >= minKeptBytes && bytes.length * 2 >= bytes.buffer.byteLength) {
      this.keepBlock();
      this.parts.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
    } else this.copy(bytes);
  }

  /** The beginning of what waits: at most `maxBytes`, and at most the first piece. */
  peek(maxBytes: number): Buffer {
    const first = this.parts[0] ?? this.block?.subarray(0, this.used);
    return first?.subarray(0, maxBytes) ?? Buffer.alloc(0);
  }

  /** Gives everything away as one buffer, and begins anew. */
  take(): Buffer {
    const { parts, block, used, total } = this;
    this.clear();
    if (block && parts.length === 0) return block.subarray(0, used);
    if (block && used > 0) parts.push(block.subarray(0, used));
    return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts, total);
  }

  /** Forgets everything. */
  clear(): void {
    this.parts = [];
    this.block = undefined;
    this.used = 0;
    this.total = 0;
  }

  private copy(bytes: Uint8Array): void {
    let at = 0;
    while (at < bytes.length) {
      if (this.block && this.used === this.block.length) {
        this.parts.push(this.block);
        this.block = undefined;
      }
      if (!this.block) {
        this.block = Buffer.allocUnsafe(Math.min(maxBlockBytes, Math.max(minBlockBytes, this.total)));
        this.used = 0;
      }
      const count = Math.min(bytes.length - at, this.block.length - this.used);
      this.block.set(at === 0 && count === bytes.length ? bytes : bytes.subarray(at, at + count), this.used);
      this.used += count;
      at += count;
    }
  }

  /** What waits in the block goes before what comes next; the block itself is used again. */
  private keepBlock(): void {
    if (!this.block || this.used === 0) return;
    this.parts.push(Buffer.from(this.block.subarray(0, this.used)));
    this.used = 0;
  }
}
