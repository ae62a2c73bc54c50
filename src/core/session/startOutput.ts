import type { WireListener } from './wire.js';

/** Lines of each start that are remembered, and characters of each. */
const maxLines = 200;
const maxLength = 200;

/**
 * What a server writes for people while its era is found out. A server that ends on the probe is started once more and
 * writes the same once more, in particular when it was not the probe that ended it; the second time it is not passed on.
 * Lines of the first start may be read after the second one has begun.
 */
export class StartOutput {
  private readonly first = new Set<string>();
  private readonly second = new Set<string>();
  private isSecondStart = false;

  constructor(private readonly listener: WireListener) {}

  /** The listener of a connection that is opened now. */
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
   * What is opened from now on is a second start. @param why ready to be logged; undefined where nothing is wrong with
   * the server.
   */
  startAgain(why: string | undefined): void {
    this.isSecondStart = true;
    if (why !== undefined) this.listener.onWarning?.(why);
  }

  private isNews(line: string, isOfSecond: boolean): boolean {
    // Times and process ids differ from start to start.
    const key = line.slice(0, maxLength).replace(/\d+/g, '0');
    const [own, other] = isOfSecond ? [this.second, this.first] : [this.first, this.second];
    if (other.has(key)) return false;
    if (own.size < maxLines) own.add(key);
    return true;
  }
}
