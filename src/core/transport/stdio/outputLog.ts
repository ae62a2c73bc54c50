import { StringDecoder } from 'node:string_decoder';
import type { Clock } from '../../base/clock.js';
import type { CrashReport } from '../../base/crashReport.js';
import { crashReport, maxReadLines } from '../../base/crashReport.js';
import { isFrame } from '../../base/crashLines.js';
import { flaggedText } from '../../base/hostileText.js';
import { RateLimit } from '../../base/rateLimit.js';
import type { SecretFinder } from '../../base/secretFinder.js';
import { finderOf } from '../../base/secretFinder.js';
import { StrayLines } from '../strayLines.js';
import type { TransportSink } from '../transport.js';

/** Maximum length of a line, in UTF-16 code units; longer lines are cut. */
const maxLineLength = 8_192;
/** Maximum length of the beginning of a secret that waits for more data, in characters. */
const maxHeld = 64 * 1024;
/** Number of lines that are kept for the error message when the process ends unexpectedly. */
const keptLines = 20;
/** Maximum length of a line that is kept to find the cause of a crash, in UTF-16 code units. */
const maxCrashLine = 2_000;
/** Number of consecutive frames of a stack that are kept; a longer stack would displace its error. */
const maxFrames = 50;
/** Maximum number of stderr lines passed on per second; more are only counted. */
const maxLinesPerSecond = 1_000;

/**
 * The text output of a server: stderr, and lines on stdout that are not MCP. The output is always read, so that the
 * server never blocks. It is passed on line by line, limited in length and rate, with control characters made visible
 * and secrets masked.
 */
export class OutputLog {
  private readonly secrets: SecretFinder;
  private readonly decoder = new StringDecoder('utf8');
  private rest = '';
  private last: string[] = [];
  /** The last stderr lines, from which the crash report is made. */
  private recent: string[] = [];
  private frames = 0;
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

  /** The last stderr lines, oldest first. */
  get lastLines(): readonly string[] {
    return this.last;
  }

  /** Why the process ended, according to its error output so far. */
  report(): CrashReport {
    return crashReport(this.recent);
  }

  stderr(chunk: Buffer): void {
    const lines = (this.rest + this.decoder.write(chunk)).split('\n');
    this.rest = lines.pop() ?? '';
    // A line without an end is passed on in parts, so that memory use stays bounded.
    if (this.rest.length > maxLineLength) {
      // The end of the line may be the beginning of a secret, so it is kept until more data arrives.
      const held = Math.min(this.secrets.lengthAtEnd(this.rest), maxHeld);
      const { masked, end } = this.secrets.maskUntil(this.rest, this.rest.length - held);
      lines.push(masked);
      this.rest = this.rest.slice(end);
    }
    for (const line of lines) this.stderrLine(line);
  }

  /** The beginning of the incomplete stderr line, with secrets masked. The beginning of a secret is masked as well. */
  get unfinished(): string {
    return this.secrets.maskBeginning(this.rest.slice(0, maxLineLength));
  }

  /** Passes on the unfinished line. */
  flush(): void {
    if (this.rest !== '') this.stderrLine(this.secrets.maskBeginning(this.rest));
    this.rest = '';
  }

  /** Handles a line on stdout that is not JSON. */
  stray(line: string): void {
    this.strayLines.add(this.masked(line));
  }

  private stderrLine(line: string): void {
    const text = flaggedText(this.masked(line.endsWith('\r') ? line.slice(0, -1) : line), maxLineLength);
    if (text.trim() === '') return;
    this.last = [...this.last.slice(1 - keptLines), text];
    this.keep(text.slice(0, maxCrashLine));
    this.stderrLimit.run(
      () => this.sink.onStderr?.(text),
      (dropped) => this.sink.onStderr?.(`(${dropped} lines were not shown: the server writes too many lines)`),
    );
  }

  private keep(text: string): void {
    this.frames = isFrame(text) ? this.frames + 1 : 0;
    if (this.frames > maxFrames) return;
    this.recent.push(text);
    if (this.recent.length >= 2 * maxReadLines) this.recent = this.recent.slice(-maxReadLines);
  }

  /** `line` with the secrets of this server masked. */
  masked(line: string): string {
    return this.secrets.mask(line);
  }
}
