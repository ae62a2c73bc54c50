import type { WireListener } from './wire.js';

/** Limits for each start: the number of different remembered lines, and the characters of each line. */
const maxLines = 200;
const maxLength = 200;

/**
 * Filters the warnings and stderr lines of a server that is started a second time during the era detection, because it
 * writes many lines twice. A line of one start is dropped if the other start has written an equal line before. The
 * lines of both starts may arrive in any order, even after the handshake.
 */
export class StartOutput {
  private readonly first = new Map<string, number>();
  private readonly second = new Map<string, number>();
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
   * The listener of the connection that is kept. Without a second start, its output is not filtered.
   * @param current the listener of that connection.
   */
  kept(current: WireListener): WireListener {
    return this.isSecondStart ? current : this.listener;
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
    const repeated = other.get(key);
    if (repeated !== undefined) {
      if (repeated > 1) other.set(key, repeated - 1);
      else other.delete(key);
      return false;
    }
    if (own.has(key) || own.size < maxLines) own.set(key, (own.get(key) ?? 0) + 1);
    return true;
  }
}
