import { ByteCollector } from '../../core/base/byteCollector.js';

/** Splits bytes into lines, and skips lines that are longer than `maxBytes`. */
export class BoundedLines {
  private readonly begun = new ByteCollector();
  private isSkipping = false;

  constructor(
    /** Maximum length of a line, in bytes. A change also applies to a line that has begun. */
    public maxBytes: number,
    private readonly onLine: (line: string) => void,
    private readonly onTooLong: () => void,
  ) {}

  feed(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      this.add(chunk.subarray(start, end));
      const line = this.begun.take();
      if (!this.isSkipping && line.length > 0) this.onLine(line.toString('utf8'));
      this.isSkipping = false;
      start = end + 1;
    }
    if (start < chunk.length) this.add(chunk.subarray(start));
  }

  private add(bytes: Buffer): void {
    if (this.isSkipping) return;
    if (this.begun.size + bytes.length <= this.maxBytes) {
      this.begun.push(bytes);
      return;
    }
    this.begun.clear();
    this.isSkipping = true;
    this.onTooLong();
  }
}
