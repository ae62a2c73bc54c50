import type { WireListener } from './wire.js';

/** Limits for each start: the number of remembered lines, and the characters of each line. */
const maxLines = 200;
const maxLength = 200;

/**
 * Filters stderr lines during era detection. A server that exits during the probe is started again and writes many
 * lines again. A line that is written in both starts is passed on only once. Lines of the first start may arrive after
 * the second one has begun.
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
   * Marks all later connections as a second start.
   * @param why the reason, ready to be logged; undefined if nothing is wrong with the server.
   */
  startAgain(why: string | undefined): void {
    this.isSecondStart = true;
    if (why !== undefined) this.listener.onWarning?.(why);
  }

  private isNews(line: string, isOfSecond: boolean): boolean {
    // Digits are ignored, because times and process IDs differ between starts.
    const key = line.slice(0, maxLength).replace(/\d+/g, '0');
    const [own, other] = isOfSecond ? [this.second, this.first] : [this.first, this.second];
    if (other.has(key)) return false;
    if (own.size < maxLines) own.add(key);
    return true;
  }
}
