import type { LogLine } from '../../shared/result/resultModel.js';
import { shownText } from '../base/hostileText.js';

/** Lines kept of one call, the latest. */
const maxLines = 1_000;
const maxLineLength = 2_000;

/** What a server says while one call runs, as a page shows it: bounded, hidden characters made visible. */
export class CallLog {
  private readonly kept: LogLine[] = [];
  private added = 0;

  add({ text, level }: LogLine): void {
    this.added++;
    this.kept.push({ text: shownText(text, maxLineLength), ...(level === undefined ? {} : { level }) });
    if (this.kept.length > maxLines) this.kept.shift();
  }

  /** As it stands; later lines do not change it. */
  get model(): { log: LogLine[]; logDropped: number } {
    return { log: [...this.kept], logDropped: this.added - this.kept.length };
  }
}
