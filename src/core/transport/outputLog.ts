import { StringDecoder } from 'node:string_decoder';
import type { Clock } from '../base/clock.js';
import { flaggedText, visibleText } from '../base/hostileText.js';
import { RateLimit } from '../base/rateLimit.js';
import type { SecretFinder } from '../base/secretFinder.js';
import { finderOf } from '../base/secretFinder.js';
import type { TransportSink } from './transport.js';

/** A longer line is cut. */
const maxLineLength = 8_192;
/** Lines kept for the message of an unexpected end. */
const keptLines = 20;
/** Lines of stderr passed on per second; the rest is counted. */
const maxLinesPerSecond = 1_000;
/** Lines of stdout that are no message, passed on per minute; the rest is counted. */
const maxStrayPerMinute = 10;

/**
 * What a server writes for people: stderr, and on stdout what is not MCP. Always read, so that it never blocks the server;
 * passed on line by line, bounded in length and rate, with control characters visible and secrets masked.
 */
export class OutputLog {
  private readonly secrets: SecretFinder;
  private readonly decoder = new StringDecoder('utf8');
  private rest = '';
  private last: string[] = [];
  private readonly stderrLimit: RateLimit;
  private readonly strayLimit: RateLimit;
  private readonly hinted = new Set<string>();

  constructor(
    private readonly sink: TransportSink,
    secrets: readonly string[],
    clock: Clock,
  ) {
    this.secrets = finderOf(secrets);
    this.stderrLimit = new RateLimit(clock, maxLinesPerSecond, 1_000);
    this.strayLimit = new RateLimit(clock, maxStrayPerMinute, 60_000);
  }

  /** The last lines of stderr, oldest first. */
  get lastLines(): readonly string[] {
    return this.last;
  }

  stderr(chunk: Buffer): void {
    const lines = (this.rest + this.decoder.write(chunk)).split('\n');
    this.rest = lines.pop() ?? '';
    // A line without an end must not grow for ever.
    if (this.rest.length > maxLineLength) {
      // A secret that the cut would go through waits for the rest of it.
      const held = Math.min(Math.max(0, this.secrets.longest - 1), maxLineLength / 2);
      const { masked, end } = this.secrets.maskUntil(this.rest, this.rest.length - held);
      lines.push(masked);
      this.rest = this.rest.slice(end);
    }
    for (const line of lines) this.stderrLine(line);
  }

  /** Passes on what has no line end yet. */
  flush(): void {
    if (this.rest !== '') this.stderrLine(this.rest);
    this.rest = '';
  }

  /** A line of stdout that is not JSON. */
  stray(line: string): void {
    const hint = hintFor(line);
    if (!this.hinted.has(hint)) {
      this.hinted.add(hint);
      this.sink.onWarning(hint);
    }
    this.strayLimit.run(
      () => this.sink.onWarning(`[stdout] ${visibleText(this.masked(line), maxLineLength)}`),
      (dropped) => this.sink.onWarning(`${dropped} more lines of the server's standard output were not shown.`),
    );
  }

  private stderrLine(line: string): void {
    const text = flaggedText(this.masked(line.endsWith('\r') ? line.slice(0, -1) : line), maxLineLength);
    if (text.trim() === '') return;
    this.last = [...this.last.slice(1 - keptLines), text];
    this.stderrLimit.run(
      () => this.sink.onStderr?.(text),
      (dropped) => this.sink.onStderr?.(`(${dropped} lines were not shown: the server writes too many)`),
    );
  }

  private masked(line: string): string {
    return this.secrets.mask(line);
  }
}

/** What is wrong with a line that is not JSON, as far as it shows. */
function hintFor(line: string): string {
  // UTF-16 read as UTF-8: a zero in every other byte, or a byte order mark that is no character.
  if (line.includes('\0') || line.startsWith('\ufffd\ufffd')) return 'The server writes text that is not UTF-8, which MCP demands; it cannot be understood.';
  if (/^\s*[{[]\s*$/.test(line)) return 'The server writes its JSON over several lines; MCP demands one line for each message, so it cannot be understood.';
  return 'The server writes text to its standard output that is not MCP; such lines are passed over. Servers should write them to standard error.';
}
