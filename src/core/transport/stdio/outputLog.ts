import { StringDecoder } from 'node:string_decoder';
import type { Clock } from '../../base/clock.js';
import { flaggedText } from '../../base/hostileText.js';
import { RateLimit } from '../../base/rateLimit.js';
import type { SecretFinder } from '../../base/secretFinder.js';
import { finderOf } from '../../base/secretFinder.js';
import { StrayLines } from '../strayLines.js';
import type { TransportSink } from '../transport.js';

/** A longer line is cut. */
const maxLineLength = 8_192;
/** Lines kept for the message of an unexpected end. */
const keptLines = 20;
/** Lines of stderr passed on per second; the rest is counted. */
const maxLinesPerSecond = 1_000;

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
  private readonly strayLines: StrayLines;

  constructor(
    private readonly sink: TransportSink,
    secrets: readonly string[],
    clock: Clock,
  ) {
    this.secrets = finderOf(secrets);
    this.stderrLimit = new RateLimit(clock, maxLinesPerSecond, 1_000);
    this.strayLines = new StrayLines(sink, clock, 'stdout');
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

  /** The beginning of the line of stderr that is not ended, without secrets, also where only a part of one has come. */
  get unfinished(): string {
    return this.secrets.maskBeginning(this.rest.slice(0, maxLineLength));
  }

  /** Passes on what has no line end yet. */
  flush(): void {
    if (this.rest !== '') this.stderrLine(this.rest);
    this.rest = '';
  }

  /** A line of stdout that is not JSON. */
  stray(line: string): void {
    this.strayLines.add(this.masked(line));
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

  /** `line` without the secrets that this server was given. */
  masked(line: string): string {
    return this.secrets.mask(line);
  }
}
