/**
 * Minimum size of a chunk that is kept without a copy, bytes. Smaller chunks, and chunks that are less than half of
 * their buffer, are copied into a common block.
 */
const minKeptBytes = 16_384;
/** Minimum and maximum size of the block that small chunks are copied into, bytes. */
const minBlockBytes = 1_024;
const maxBlockBytes = 1_048_576;

/**
 * Collects bytes that arrive in chunks, with memory proportional to the number of bytes. A small chunk has an overhead
 * of several hundred bytes and may keep a much larger buffer alive. Without this class, a peer that sends single bytes
 * would cause hundreds of times the memory of its data. Each byte is copied at most twice before `take`.
 */
export class ByteCollector {
  private parts: Buffer[] = [];
  /** The block for small chunks; the first `used` bytes are data. */
  private block: Buffer | undefined;
  private used = 0;
  private total = 0;

  /** Number of bytes collected so far. */
  get size(): number {
    return this.total;
  }

  /** Adds a chunk. It must not be changed afterwards, because a large chunk is kept without a copy. */
  push(bytes: Uint8Array): void {
    this.total += bytes.length;
    if (bytes.length >= minKeptBytes && bytes.length * 2 >= bytes.buffer.byteLength) {
      this.keepBlock();
      this.parts.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
    } else this.copy(bytes);
  }

  /** The beginning of the collected bytes, limited to `maxBytes` and to the first chunk. */
  peek(maxBytes: number): Buffer {
    const first = this.parts[0] ?? this.block?.subarray(0, this.used);
    return first?.subarray(0, maxBytes) ?? Buffer.alloc(0);
  }

  /** Returns all bytes as one buffer and removes them. */
  take(): Buffer {
    const { parts, block, used, total } = this;
    this.clear();
    if (block && parts.length === 0) return block.subarray(0, used);
    if (block && used > 0) parts.push(block.subarray(0, used));
    return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts, total);
  }

  /** Removes all bytes. */
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

  /** Adds the data of the block to the kept chunks, in order. The rest of the block is reused. */
  private keepBlock(): void {
    if (!this.block || this.used === 0) return;
    this.parts.push(Buffer.from(this.block.subarray(0, this.used)));
    this.used = 0;
  }
}

/**
 * Reads the body of a response, and stops at the limit. Rejects with `tooLarge` if it is larger.
 * @param maxBytes counts after decompression.
 */
export async function readBody(response: Response, maxBytes: number, tooLarge: () => Error): Promise<string> {
  const bytes = new ByteCollector();
  if (response.body) {
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      if (bytes.size + chunk.byteLength > maxBytes) throw tooLarge();
      bytes.push(chunk);
    }
  }
  return bytes.take().toString('utf8');
}
