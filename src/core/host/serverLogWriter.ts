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
import type { CallLogLine } from '../catalog/hostTypes.js';
import type { ServerLog } from './ports.js';
import { failureLogLine } from '../present/failure/failureText.js';
import { hiddenWords } from '../present/text/hiddenText.js';
import { inEnglish } from '../present/text/language.js';
import type { LoggingLevel, LogMessage } from '../protocol/mcp.js';
import { logLevelOf } from '../protocol/mcp.js';
import { ServerRemarks } from './serverRemarks.js';

/** Failures that an earlier remark may explain. */
const mayBeExplained: ReadonlySet<HostErrorCode> = new Set([
  'timeout',
  'closed',
  'exited',
  'invalid-message',
  'handshake-failed',
]);
/** Maximum age of a remark that may explain a failure if the start of the wait is unknown, ms. */
const recentMs = 10_000;
/** Number of stderr lines kept for the failed state. */
const maxStderrLines = 100;
/**
 * Maximum number of values that are masked. All values of the latest start are masked, even above this limit; values of
 * earlier starts fill the rest.
 */
const maxSecrets = 200;
/**
 * Maximum number of log messages and warnings of one server that are written per second; further ones are only counted.
 * The listeners of a call receive all of them.
 */
const maxLogLinesPerSecond = 500;

/** The log of one server, with secrets masked and the number of lines limited. */
export class ServerLogWriter {
  private readonly limit: RateLimit;
  private readonly followers = new Set<(line: CallLogLine) => void>();
  /** Remarks since the start began: possible reasons why the server does not respond. */
  readonly remarks: ServerRemarks;
  private secrets: readonly string[] = [];
  /**
   * The secrets and the sign-in tokens together, as last returned by `secretValues`. The same array is returned until
   * they change, because `finderOf` builds its search tables once for each array.
   */
  private hidden: readonly string[] = [];
  private lastTokens: readonly string[] = [];
  private lastStderr: readonly string[] = [];

  constructor(
    private readonly log: ServerLog,
    private readonly clock: Clock,
    /** The tokens of the sign-in that were or may be sent to the server. */
    private readonly tokens: () => readonly string[] = () => [],
  ) {
    this.remarks = new ServerRemarks(clock);
    this.limit = new RateLimit(clock, maxLogLinesPerSecond, 1_000);
  }

  /** The latest lines of stderr since the start began. */
  get stderr(): readonly string[] {
    return this.lastStderr;
  }

  /** The minimum level of the log messages to request from the server; undefined for none. */
  get level(): LoggingLevel | undefined {
    return this.log.level();
  }

  /** Values that must not be shown in any text. */
  get secretValues(): readonly string[] {
    const tokens = this.tokens();
    if (tokens.length !== this.lastTokens.length || tokens.some((token, at) => token !== this.lastTokens[at])) {
      this.lastTokens = tokens;
      this.hidden = [...new Set([...this.secrets, ...tokens])];
    }
    return this.hidden;
  }

  /** Adds the secrets of this start. From then on, they are masked in everything that is written about the server. */
  hide(secrets: readonly string[]): void {
    // Secrets of earlier starts are kept, because they are still secret and recordings may contain them.
    this.secrets = [...new Set([...secrets, ...this.secrets])].slice(0, Math.max(maxSecrets, secrets.length));
    this.hidden = [...new Set([...this.secrets, ...this.lastTokens])];
  }

  /** `text` with every known secret masked, in every encoding in which it may occur. */
  masked(text: string): string {
    return finderOf(this.secretValues).mask(text);
  }

  /** Masks every known secret in a failure: in its message, its data and its causes. */
  maskIn(error: unknown): void {
    maskFailure(error, this.secretValues);
  }

  /** Called when a start begins: discards the stderr lines and remarks of the previous start. */
  begin(): void {
    this.lastStderr = [];
    this.remarks.clear();
  }

  /** Writes one line. All lines of a server's log pass through this method, so every line is masked. */
  write(level: LogLevel, line: string): void {
    this.log.write(level, logLine(this.masked(line)));
  }

  /** Passes the server's log lines to a running call until disposed. */
  follow(onLine: (line: CallLogLine) => void): Disposable {
    this.followers.add(onLine);
    return toDisposable(() => this.followers.delete(onLine));
  }

  addMessage(message: LogMessage): void {
    const line = () => {
      const text = typeof message.data === 'string' ? message.data : jsonText(message.data);
      return `${message.logger === undefined ? '' : `[${visibleLine(message.logger, 60)}] `}${flaggedText(text, 4_000)}`;
    };
    this.limited(logLevelOf[message.level], line);
    if (this.followers.size === 0) return;
    const text = this.masked(line());
    for (const follow of this.followers) follow({ text, level: message.level });
  }

  addWarning(line: string): void {
    this.limited('warn', () => {
      const hidden = countWritten(line);
      return hidden === 0 ? line : `${line} [${inEnglish(() => hiddenWords(hidden))}]`;
    });
  }

  addStderr(line: string): void {
    this.write('info', `[stderr] ${line}`);
    this.lastStderr = [...this.lastStderr.slice(1 - maxStderrLines), line];
  }

  /**
   * Records a remark: a possible reason why the server does not respond. The output that it quotes is not escaped yet.
   */
  addRemark(remark: Remark): void {
    this.remarks.add(shownRemark(remark, (text) => this.masked(text)));
  }

  /** Logs a failure with the details that are too long for a message, such as the searched folders and the advice. */
  addFailure(server: string, error: Error): void {
    const folders = error instanceof HostError && error.code === 'spawn-failed' ? error.data.folders : undefined;
    this.write('error', failureLogLine(error, server));
    if (folders) this.write('info', `Folders that were searched: ${folders.join(', ')}`);
  }

  /**
   * Adds the current remark to the failure of a start or call (`data.remark`), so that its message names the cause.
   * @param since the time when the wait began, on the host's clock; earlier remarks are ignored. Default: ten seconds
   * ago.
   */
  explain(error: unknown, since = this.clock.now() - recentMs): void {
    if (!(error instanceof HostError) || !mayBeExplained.has(error.code)) return;
    if (error.code === 'closed' && error.data.by === 'host') return;
    // The failure itself already states that the server sends HTTP instead of MCP.
    if (error.code === 'invalid-message' && error.data.problem === 'http') return;
    const remark = this.remarks.current(since);
    // The error of an ended process already quotes its last stderr line.
    if (remark && !(error.code === 'exited' && remark.kind === 'stderr')) error.data.remark ??= remark;
  }

  /** Writes a line from the server, within the limit per second. A line above the limit is not built. */
  private limited(level: LogLevel, line: () => string): void {
    this.limit.run(
      () => this.write(level, line()),
      (dropped) =>
        this.write('warn', `${dropped} log messages or warnings were not written: the server sends too many.`),
    );
  }
}
