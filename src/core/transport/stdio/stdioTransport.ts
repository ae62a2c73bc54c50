/**
 * Runs a server as a child process and exchanges JSON lines over its standard streams (specification: basic/transports,
 * stdio). On POSIX, the process leads its own group, so that all processes that it starts can be ended with it. The
 * connection ends when the process exits, not when its pipes close, because a grandchild may keep the pipes open.
 */
import type { ChildProcessByStdio } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../../base/clock.js';
import { systemClock } from '../../base/clock.js';
import type { Disposable } from '../../base/disposable.js';
import { HostError } from '../../base/hostError.js';
import { visibleLine, visibleText } from '../../base/hostileText.js';
import { remarkOnOutput, remarkOnStderr } from '../../base/remark.js';
import type { StdioFraming } from '../../config/serverDefinition.js';
import { notJson, parseMessage } from '../../protocol/parseMessage.js';
import { readInSlices } from '../../protocol/slicedReader.js';
import { frameWithLength } from '../contentLengthFraming.js';
import { findCommand } from './findCommand.js';
import type { FramedTextListener } from '../framingDetector.js';
import { FramingDetector } from '../framingDetector.js';
import { missingScript } from './missingScript.js';
import { OutputLog } from './outputLog.js';
import type { ProcessRecords } from './processRecords.js';
import { spawnFailure } from './spawnFailure.js';
import { spawnTurn } from './spawnTurn.js';
import { ShutdownSequence } from './shutdownSequence.js';
import type { Outgoing, Transport, TransportSink } from '../transport.js';
import { maxBacklogBytes } from '../transport.js';
import { windowsCommand } from './windowsCommand.js';

export interface StdioOptions {
  command: string;
  args: readonly string[];
  /** The child's complete environment; its PATH is used to find commands. */
  env: Readonly<Record<string, string>>;
  /** Absolute path. */
  cwd: string;
  /** The ID of the server in process records. */
  serverId?: string;
  /** Framing of messages to the server; default `newline`. Output is accepted in either framing. */
  framing?: StdioFraming | undefined;
  /** Values that are masked in all reported output. */
  secretValues?: readonly string[];
  /** Maximum size of a message, bytes; default 64 MiB. */
  maxMessageBytes?: number;
  /** Maximum wait after each step of the shutdown, in ms; default 2,000. */
  graceMs?: number;
  records?: ProcessRecords | undefined;
  clock?: Clock | undefined;
  platform?: NodeJS.Platform;
}

const defaultMaxMessageBytes = 64 * 1024 * 1024;

/**
 * Maximum wait for the exit after the process closed a pipe, in ms. Processes end slowly on a busy machine, and an
 * error with the exit code is more helpful.
 */
const exitMs = 1_000;

/** Maximum wait for remaining output after the exit, ms, if another process keeps the pipe open. */
const outputDrainMs = 200;

/**
 * Delay before an incomplete line is reported, in ms. A program that prompts for input does not end the line of the
 * prompt.
 */
const unfinishedMs = 500;

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

export class StdioTransport implements Transport, FramedTextListener {
  readonly kind = 'stdio';
  private child: Child | undefined;
  private sink: TransportSink | undefined;
  private log: OutputLog | undefined;
  private usesContentLength: boolean;
  private detector: FramingDetector | undefined;
  private unfinishedTimer: Disposable | undefined;
  private readonly toldUnfinished = { stdout: '', stderr: '' };
  /** Whether the process has written anything to stdout or stderr. */
  private hasWritten = false;
  private outbox = '';
  /** Whether a message was written since the last message from the server. */
  private wasWritten = false;
  /** One function for all messages, because a new one for each message costs garbage collection. */
  private readonly flushLater = () => this.flush();
  private isEnded = false;
  private endTimer: Disposable | undefined;
  private exitInfo: { code: number | null; signal: NodeJS.Signals | null } | undefined;
  private shutdown: ShutdownSequence | undefined;
  private closing: Promise<void> | undefined;
  private readonly clock: Clock;
  private readonly platform: NodeJS.Platform;
  private readonly maxMessageBytes: number;

  constructor(private readonly options: StdioOptions) {
    this.clock = options.clock ?? systemClock;
    this.platform = options.platform ?? process.platform;
    this.maxMessageBytes = options.maxMessageBytes ?? defaultMaxMessageBytes;
    this.usesContentLength = options.framing === 'content-length';
  }

  /**
   * Starts the process. Rejects with HostError `spawn-failed`, which states the command and the searched folders, or
   * `bad-configuration`. Rejects with `closed` if the transport is closed before the process may start.
   */
  async open(sink: TransportSink): Promise<void> {
    this.sink = sink;
    const turn = spawnTurn();
    if (turn) await turn;
    if (this.closing)
      throw new HostError('closed', 'The server was stopped before it was started.', { data: { why: 'before-start' } });
    try {
      const child = this.spawn();
      this.child = child;
      this.listenTo(child);
      await once(child, 'spawn');
    } catch (error) {
      this.isEnded = true;
      throw spawnFailure(error, this.options, this.platform);
    }
    const { pid } = this.child;
    if (pid !== undefined) this.options.records?.add(pid, this.options.serverId ?? '');
  }

  send(message: Outgoing): void {
    if (this.isEnded || this.closing || !this.child) {
      message.fail?.(new HostError('closed', 'The server is not running any more.', { data: { why: 'process-gone' } }));
      return;
    }
    if (this.child.stdin.writableLength + this.outbox.length > maxBacklogBytes) {
      message.fail?.(
        new HostError('send-failed', 'The server does not read its messages, and too many are waiting.', {
          hint: 'Restart the server.',
          data: { why: 'not-reading' },
        }),
      );
      return;
    }
    if (this.outbox === '') this.scheduleFlush();
    this.outbox += this.usesContentLength ? frameWithLength(message.text) : `${message.text}\n`;
  }

  close(graceMs = Infinity): Promise<void> {
    this.closing ??= this.shutDown(graceMs);
    return this.closing;
  }

  kill(): void {
    this.shutdown?.force();
  }

  describe(): { pid?: number } {
    return this.child?.pid === undefined || this.isEnded ? {} : { pid: this.child.pid };
  }

  private spawn(): Child {
    const { command, args, env, cwd } = this.options;
    const isWindows = this.platform === 'win32';
    const found = isWindows ? findCommand(command, env, cwd, this.platform).found : undefined;
    // A command that was not found is an error here. Otherwise, Windows would search the working directory first, which
    // may contain untrusted files.
    if (isWindows && found === undefined && !/[\\/]/.test(command))
      throw Object.assign(new Error('The command was not found.'), { code: 'ENOENT' });
    const start = isWindows
      ? windowsCommand(found ?? command, args)
      : { command, args, windowsVerbatimArguments: false };
    return spawn(start.command, start.args, {
      cwd,
      env,
      stdio: ['pipe', 'pipe', 'pipe'],
      shell: false,
      windowsHide: true,
      windowsVerbatimArguments: start.windowsVerbatimArguments,
      // On POSIX the child leads a group, so that its whole tree can be signaled.
      detached: !isWindows,
    });
  }

  private listenTo(child: Child): void {
    const { stdin, stdout, stderr } = child;
    child.on('exit', (code, signal) => this.onExit(child, { code, signal }));
    // After the start, this event only reports that a signal could not be delivered. The event is ignored, because
    // `ShutdownSequence` checks whether the processes have ended.
    child.on('error', ignore);
    const onUnreadable = (error: unknown) => this.fail(error);
    this.detector = new FramingDetector(this, this.maxMessageBytes);
    readInSlices(stdout, this.detector, onUnreadable);
    stdout.once('data', () => {
      this.hasWritten = true;
      // The first output shows that the actual server is running, even if a wrapper started it.
      if (child.pid !== undefined) void this.options.records?.look(child.pid);
    });
    stdout.on('error', onUnreadable);
    stdout.on('end', () => this.endUnlessItExits('stdout', 'closed its standard output, so it can no longer respond'));
    stderr.on('data', (chunk: Buffer) => this.receiveStderr(chunk));
    stderr.on('error', ignore); // Only log lines can be lost here.
    // Pending requests are not rejected here. The end of the connection rejects all of them with its reason.
    stdin.on('error', () =>
      this.endUnlessItExits('stdin', 'closed its standard input, so it can no longer receive messages'),
    );
  }

  onText(text: string): boolean {
    // After the end, a grandchild may still write output. It is ignored.
    if (!this.sink || this.isEnded) return false;
    this.wasWritten = false;
    const message = parseMessage(text, this.maxMessageBytes);
    if (message === notJson) {
      if (text.trim() !== '') {
        this.sink.onUnreadable?.(text);
        this.outputLog(this.sink).stray(text);
      }
      return false;
    }
    this.sink.onMessage(message, text);
    return typeof message === 'object' && message !== null;
  }

  onContentLength(): void {
    if (this.usesContentLength) return;
    this.usesContentLength = true;
    this.sink?.onWarning('The server uses Content-Length framing, which is not MCP; MCP Deck uses it too.');
  }

  /** Checks the line again later, because most lines are completed by the next chunk. */
  onUnfinished(): void {
    this.unfinishedTimer ??= this.clock.after(unfinishedMs, () => {
      this.unfinishedTimer = undefined;
      if (this.isEnded) return;
      this.tellUnfinished('stdout', this.detector?.unfinished ?? '');
      this.tellUnfinished('stderr', this.log?.unfinished ?? '');
    });
  }

  private tellUnfinished(stream: 'stdout' | 'stderr', text: string): void {
    if (text.trim() === '' || text === this.toldUnfinished[stream] || !this.sink) return;
    this.toldUnfinished[stream] = text;
    const masked = this.outputLog(this.sink).masked(text);
    this.sink.onWarning(`[${stream}] ${visibleText(masked, 1_000)} (unfinished line)`);
    this.sink.onRemark?.(stream === 'stdout' ? remarkOnOutput(masked, true) : remarkOnStderr(masked, true));
  }

  private receiveStderr(chunk: Buffer): void {
    this.hasWritten = true;
    if (!this.sink || this.isEnded) return;
    const log = this.outputLog(this.sink);
    log.stderr(chunk);
    if (log.unfinished !== '') this.onUnfinished();
  }

  /** The log of the output, created on first use, because many servers write no text. */
  private outputLog(sink: TransportSink): OutputLog {
    this.log ??= new OutputLog(sink, this.options.secretValues ?? [], this.clock);
    return this.log;
  }

  /**
   * Writes the first message after a message from the server at once. Later messages of the same turn of the event loop
   * are written together at its end, with one system call, because a program with several callers sends many messages
   * in one turn. A single caller waits for each response, so all of its messages are written at once.
   */
  private scheduleFlush(): void {
    if (this.wasWritten) setImmediate(this.flushLater);
    else queueMicrotask(this.flushLater);
    this.wasWritten = true;
  }

  private flush(): void {
    const text = this.outbox;
    this.outbox = '';
    if (text !== '' && !this.isEnded) this.child?.stdin.write(text);
  }

  private closeInput(child: Child): void {
    this.flush();
    child.stdin.end();
  }

  /**
   * Called when a message was too large or could not be framed. Ends the connection; other servers are not affected.
   */
  private fail(error: unknown): void {
    this.end(error instanceof Error ? error : new Error(String(error)));
    void this.close();
  }

  private onExit(child: Child, exitInfo: NonNullable<StdioTransport['exitInfo']>): void {
    this.exitInfo = exitInfo;
    const end = () => this.end(this.closing ? undefined : this.exitError(exitInfo));
    // Output that the server wrote before its exit is still read. The wait does not last until the pipe ends, because
    // another process may keep the pipe open.
    this.endTimer?.dispose();
    // On a busy machine the timer may fire before the pipes were read; one more turn of the event loop reads them.
    this.endTimer = this.clock.after(outputDrainMs, () => setImmediate(end));
    child.once('close', end);
  }

  /**
   * Called when a pipe has closed. Ends the connection after 1 s, unless the process exits in the meantime. A process
   * usually exits shortly after it closes a pipe, and an error with the exit code is more helpful.
   */
  private endUnlessItExits(why: 'stdout' | 'stdin', what: string): void {
    if (this.exitInfo || this.isEnded || this.closing) return;
    this.endTimer ??= this.clock.after(exitMs, () =>
      this.fail(
        new HostError('closed', `The server ${what}.`, {
          data: { why },
          hint: 'Restart the server; its log may say why.',
        }),
      ),
    );
  }

  /**
   * Reports the end of the connection once.
   * @param reason absent if MCP Deck closed the connection.
   */
  private end(reason: Error | undefined): void {
    if (this.isEnded) return;
    this.log?.flush();
    this.isEnded = true;
    this.endTimer?.dispose();
    this.unfinishedTimer?.dispose();
    this.sink?.onClose(reason);
  }

  private exitError({ code, signal }: NonNullable<StdioTransport['exitInfo']>): HostError {
    this.log?.flush();
    const how = signal ? `was ended by ${signal}` : `ended with code ${code}`;
    const stderr = this.log?.lastLines ?? [];
    const report = this.log?.report();
    const missing = code === 0 ? undefined : missingScript(this.options, report?.lines ?? []);
    return new HostError(
      'exited',
      `The server process ${how}${report?.cause === undefined ? '.' : `: ${visibleLine(report.cause, 200)}`}`,
      {
        data: {
          code,
          signal,
          stderr,
          ...(report ? { report } : {}),
          ...(missing ? { missing } : {}),
          wrote: this.hasWritten,
        },
      },
    );
  }

  private async shutDown(graceMs: number): Promise<void> {
    const { child, platform, clock } = this;
    const pid = child?.pid;
    if (child && pid !== undefined) {
      const target = { pid, hasExited: () => this.exitInfo !== undefined, closeInput: () => this.closeInput(child) };
      this.shutdown = new ShutdownSequence(target, Math.min(this.options.graceMs ?? 2_000, graceMs), platform, clock);
      await this.shutdown.run();
      child.stdout.destroy();
      child.stderr.destroy();
      this.options.records?.remove(pid);
    }
    this.end(undefined);
  }
}

function ignore(): void {
  // The listener is needed, because Node throws an `error` event that has no listener.
}
