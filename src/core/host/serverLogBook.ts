import type { Clock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import { toDisposable } from '../base/disposable.js';
import type { HostErrorCode } from '../base/hostError.js';
import { HostError } from '../base/hostError.js';
import { countWritten, flaggedText, logLine, visibleLine } from '../base/hostileText.js';
import type { LogLevel } from '../base/log.js';
import { jsonText } from '../base/jsonText.js';
import { maskFailure } from '../base/maskFailure.js';
import { RateLimit } from '../base/rateLimit.js';
import type { Remark } from '../base/remark.js';
import { shownRemark } from '../base/remark.js';
import { finderOf } from '../base/secretFinder.js';
import type { CallLogLine } from '../catalog/hostApi.js';
import type { ServerLog } from './ports.js';
import { failureLogLine } from '../present/failure/failureText.js';
import { hiddenWords } from '../present/text/hiddenText.js';
import { inEnglish } from '../present/text/language.js';
import type { LogMessage } from '../protocol/mcp.js';
import { logLevelOf } from '../protocol/mcp.js';
import { ServerRemarks } from './serverRemarks.js';

/** Failures that what was noticed before may explain. */
const mayBeExplained: ReadonlySet<HostErrorCode> = new Set([
  'timeout',
  'closed',
  'exited',
  'invalid-message',
  'handshake-failed',
]);
/** How far back the explanation of a failure may lie where nothing says when the wait began, in milliseconds. */
const recentMs = 10_000;
/** Lines of stderr kept for the failed state. */
const maxStderrLines = 100;
/** Values that are masked: all of the latest start, and of those before as many as this leaves room for. */
const maxSecrets = 200;
/**
 * Log messages and warnings of one server written per second; the rest is counted. Listeners of a call hear them all.
 */
const maxLogLinesPerSecond = 500;

/**
 * What is written about one server and what it writes itself, without its secrets and never more than a person can
 * read.
 */
export class ServerLogBook {
  private readonly limit: RateLimit;
  private readonly followers = new Set<(line: CallLogLine) => void>();
  /** What was noticed since the start began: why the server may not answer. */
  readonly remarks: ServerRemarks;
  private secrets: readonly string[] = [];
  private lastStderr: readonly string[] = [];

  constructor(
    private readonly log: ServerLog,
    private readonly clock: Clock,
  ) {
    this.remarks = new ServerRemarks(clock);
    this.limit = new RateLimit(clock, maxLogLinesPerSecond, 1_000);
  }

  /** The latest lines of the error output since the start began. */
  get stderr(): readonly string[] {
    return this.lastStderr;
  }

  /** Values that must not be shown, whoever repeats them. */
  get secretValues(): readonly string[] {
    return this.secrets;
  }

  /** The values that this start resolved from secrets: masked from now on in all that is written about the server. */
  hide(secrets: readonly string[]): void {
    // What an earlier start was given is secret still, and stands in what was captured of it.
    this.secrets = [...new Set([...secrets, ...this.secrets])].slice(0, Math.max(maxSecrets, secrets.length));
  }

  /** `text` with every known secret replaced, in every form in which it travels. */
  masked(text: string): string {
    return finderOf(this.secrets).mask(text);
  }

  /** Masks every known secret in a failure: message, data, and what caused it. */
  maskIn(error: unknown): void {
    maskFailure(error, this.secrets);
  }

  /** A start begins: what the one before said explains nothing any more. */
  begin(): void {
    this.lastStderr = [];
    this.remarks.clear();
  }

  /** Writes one line, whatever `line` holds: this is the only way into the log of a server. */
  write(level: LogLevel, line: string): void {
    this.log.write(level, logLine(this.masked(line)));
  }

  /** Hands the server's log lines to a running call, until disposed. */
  follow(onLine: (line: CallLogLine) => void): Disposable {
    this.followers.add(onLine);
    return toDisposable(() => this.followers.delete(onLine));
  }

  addMessage(message: LogMessage): void {
    const text = typeof message.data === 'string' ? message.data : jsonText(message.data);
    const line = `${message.logger === undefined ? '' : `[${visibleLine(message.logger, 60)}] `}${flaggedText(text, 4_000)}`;
    this.limited(logLevelOf[message.level], line);
    for (const follow of this.followers) follow({ text: line, level: message.level });
  }

  addWarning(line: string): void {
    const hidden = countWritten(line);
    this.limited('warn', hidden === 0 ? line : `${line} [${inEnglish(() => hiddenWords(hidden))}]`);
  }

  addStderr(line: string): void {
    this.write('info', `[stderr] ${line}`);
    this.lastStderr = [...this.lastStderr.slice(1 - maxStderrLines), line];
  }

  /** Something noticed that may be why the server does not answer; its quote is as it came. */
  addRemark(remark: Remark): void {
    this.remarks.add(shownRemark(remark, (text) => this.masked(text)));
  }

  /** The log has room for what a message has not: the folders that were searched, the advice. */
  addFailure(server: string, error: Error): void {
    const folders = error instanceof HostError && error.code === 'spawn-failed' ? error.data.folders : undefined;
    this.write('error', failureLogLine(error, server));
    if (folders) this.write('info', `Folders that were searched: ${folders.join(', ')}`);
  }

  /**
   * Notes on the failure of a start or a call what was noticed while it waited (`data.remark`), so that its message tells the cause.
   * @param since when the wait began, on the host's clock; remarks made before do not count. Default: ten seconds ago.
   */
  explain(error: unknown, since = this.clock.now() - recentMs): void {
    if (!(error instanceof HostError) || !mayBeExplained.has(error.code)) return;
    if (error.code === 'closed' && error.data.by === 'host') return;
    // A server that speaks HTTP where MCP is expected is named by the failure itself.
    if (error.code === 'invalid-message' && error.data.problem === 'http') return;
    const remark = this.remarks.current(since);
    // How a process ended quotes its last line of error output already.
    if (remark && !(error.code === 'exited' && remark.kind === 'stderr')) error.data.remark ??= remark;
  }

  /** What a server can have written without end. */
  private limited(level: LogLevel, line: string): void {
    this.limit.run(
      () => this.write(level, line),
      (dropped) => this.write('warn', `${dropped} log messages were not shown: the server sends too many.`),
    );
  }
}
