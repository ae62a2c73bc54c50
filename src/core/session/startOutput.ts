import type { WireListener } from './wire.js';

/** Limits per start: remembered lines, and characters of each. */
const maxLines = 200;
const maxLength = 200;

/**
 * Filters stderr lines during era detection. A server that ends on the probe is started again and writes the same lines
 * again, especially if the probe was not the reason. A line that both starts write is passed on only once. Lines of the
 * first start may arrive after the second one has begun.
 */
export class StartOutput {
  private readonly first = new Set<string>();
  private readonly second = new Set<string>();
  private isSecondStart = false;

  constructor(private readonly listener: WireListener) {}

  /** The listener of the next connection. */
  next(): WireListener {
    const { listener, isSecondStart } = this;
    const isNews = (line: string) => this.isNews(line, isSecondStart);
    return {
      onWarning: (line) => (isNews(line) ? listener.onWarning?.(line) : undefined),
      onStderr: (line) => (isNews(line) ? listener.onStderr?.(line) : undefined),
      onRemark: (remark) => listener.onRemark?.(remark),
      onUnanswered: (error) => listener.onUnanswered?.(error),
    };
  }

  /**
   * Marks all later connections as a second start. @param why ready to be logged; undefined if nothing is wrong with
   * the server.
   */
  startAgain(why: string | undefined): void {
    this.isSecondStart = true;
    if (why !== undefined) this.listener.onWarning?.(why);
  }

  private isNews(line: string, isOfSecond: boolean): boolean {
    // Ignores digits, because times and process ids differ between starts.
    const key = line.slice(0, maxLength).replace(/\d+/g, '0');
    const [own, other] = isOfSecond ? [this.second, this.first] : [this.first, this.second];
    if (other.has(key)) return false;
    if (own.size < maxLines) own.add(key);
    return true;
  }
}
