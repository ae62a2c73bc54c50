import type { HostError } from '../base/hostError.js';
import type { Remark } from '../base/remark.js';
import type { WireListener } from './wire.js';

/** Lines of the first start that are remembered, and characters of each. */
const maxLines = 200;
const maxLength = 200;

/**
 * What a server writes for people while its era is found out. A server that ends on the probe is started once more, and
 * says the same once more, most of all when it was not the probe that ended it; the second time it is not passed on.
 */
export class StartOutput implements WireListener {
  private readonly said = new Set<string>();
  private isSecondStart = false;

  constructor(private readonly listener: WireListener) {}

  onWarning(line: string): void {
    if (this.isNews(line)) this.listener.onWarning?.(line);
  }

  onStderr(line: string): void {
    if (this.isNews(line)) this.listener.onStderr?.(line);
  }

  onRemark(remark: Remark): void {
    this.listener.onRemark?.(remark);
  }

  onUnanswered(error: HostError): void {
    this.listener.onUnanswered?.(error);
  }

  /**
   * What follows comes from a second start. @param why ready to be logged; undefined where nothing is wrong with the
   * server.
   */
  startAgain(why: string | undefined): void {
    this.isSecondStart = true;
    if (why !== undefined) this.listener.onWarning?.(why);
  }

  private isNews(line: string): boolean {
    // Times and process ids differ from start to start.
    const key = line.slice(0, maxLength).replace(/\d+/g, '0');
    if (this.isSecondStart) return !this.said.has(key);
    if (this.said.size < maxLines) this.said.add(key);
    return true;
  }
}
