import type { Clock } from '../base/clock.js';
import { visibleText } from '../base/hostileText.js';
import { RateLimit } from '../base/rateLimit.js';
import { remarkOnOutput } from '../base/remark.js';
import type { TransportSink } from './transport.js';

/** Maximum length of a reported line, in UTF-16 code units. */
const maxLineLength = 8_192;
/** Maximum number of lines reported per minute; more are only counted. */
const maxPerMinute = 10;

/** The channel on which a line that is not a message was received, as named in the log. */
export type StrayPlace = 'stdout' | 'socket';

const placeNames: Readonly<Record<StrayPlace, string>> = { stdout: 'standard output', socket: 'socket' };

/**
 * Reports lines on the message channel that are not JSON. Each likely cause is reported once, and the lines are
 * reported at a limited rate.
 */
export class StrayLines {
  private readonly limit: RateLimit;
  private readonly hinted = new Set<string>();

  constructor(
    private readonly sink: TransportSink,
    clock: Clock,
    private readonly place: StrayPlace,
  ) {
    this.limit = new RateLimit(clock, maxPerMinute, 60_000);
  }

  /** Reports a line. @param line the line with secrets masked. */
  add(line: string): void {
    const hint = hintFor(line, this.place);
    if (!this.hinted.has(hint)) {
      this.hinted.add(hint);
      this.sink.onWarning(hint);
    }
    this.limit.run(
      () => this.sink.onWarning(`[${this.place}] ${visibleText(line, maxLineLength)}`),
      (dropped) =>
        this.sink.onWarning(`${dropped} more lines of the server's ${placeNames[this.place]} were not shown.`),
    );
  }
}

/** The likely cause of a line that is not JSON. */
function hintFor(line: string, place: StrayPlace): string {
  const { kind } = remarkOnOutput(line);
  if (kind === 'encoding')
    return 'The server writes text that is not UTF-8. MCP requires UTF-8, so MCP Deck cannot read it.';
  if (kind === 'split-json')
    return 'The server writes JSON over several lines. MCP requires one line per message, so MCP Deck cannot read it.';
  const advice = place === 'stdout' ? ' Servers should write them to standard error.' : '';
  return `The server writes text to its ${placeNames[place]} that is not MCP; such lines are skipped.${advice}`;
}
