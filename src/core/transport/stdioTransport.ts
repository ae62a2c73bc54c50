/**
 * A server as a child process: JSON lines over its standard streams (specification: basic/transports, stdio). The process
 * leads a group of its own, so that all it starts can be ended with it. Its exit decides, not the end of its pipes: a
 * grandchild may hold those open for ever.
 */
import type { ChildProcessByStdio } from 'node:child_process';
import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../base/clock.js';
import { systemClock } from '../base/clock.js';
import { Deferred } from '../base/deferred.js';
import { HostError, messageOf } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import { LineSplitter } from '../protocol/lineSplitter.js';
import type { ByteParser } from '../protocol/slicedReader.js';
import { readInSlices } from '../protocol/slicedReader.js';
import { ContentLengthParser, frameWithLength, isContentLengthStart } from './contentLengthFraming.js';
import { findCommand, remedyFor } from './findCommand.js';
import type { ProcessRecords } from './processRecords.js';
import type { ProcessInfo } from './processTree.js';
import { descendantsOf, isAlive, killTree, listProcesses, signal, startTimeOf } from './processTree.js';
import { OutputLog } from './outputLog.js';
import type { Outgoing, Transport, TransportSink } from './transport.js';
import { windowsCommand } from './windowsCommand.js';

export interface StdioOptions {
  command: string;
  args: readonly string[];
  /** The child's complete environment; commands are looked up on its PATH. */
  env: Readonly<Record<string, string>>;
  /** Absolute. */
  cwd: string;
  /** Names the server in process records. */
  serverId?: string;
  /** Values masked in everything that is reported. */
  secretValues?: readonly string[];
  /** Largest single message in bytes; default 64 MiB. */
  maxMessageBytes?: number;
  /** Wait of each step of the stop ladder in milliseconds; default 2,000. */
  graceMs?: number;
  records?: ProcessRecords | undefined;
  clock?: Clock | undefined;
  platform?: NodeJS.Platform;
}

/** Bytes that may wait for a server that does not read. */
const maxBacklogBytes = 128 * 1024 * 1024;

/** After the exit, how long what is still in the pipe may take to be read. Milliseconds. */
const drainMs = 200;

/** After a write failed, how long the exit that explains it may take to be seen. Milliseconds. */
const exitMs = 1_000;

/** How often to look whether a tree is gone, in milliseconds. */
const pollMs = 20;

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

export class StdioTransport implements Transport {
  readonly kind = 'stdio';
  private child: Child | undefined;
  private sink: TransportSink | undefined;
  private usesContentLength = false;
  private outbox = '';
  private outgoing: Outgoing[] = [];
  private isEnded = false;
  private exitInfo: { code: number | null; signal: NodeJS.Signals | null } | undefined;
  private readonly exited = new Deferred<void>();
  private readonly forced = new Deferred<void>();
  private closing: Promise<void> | undefined;
  private readonly clock: Clock;
  private readonly platform: NodeJS.Platform;
  private readonly maxMessageBytes: number;
  private log: OutputLog | undefined;

  constructor(private readonly options: StdioOptions) {
    this.clock = options.clock ?? systemClock;
    this.platform = options.platform ?? process.platform;
    this.maxMessageBytes = options.maxMessageBytes ?? 64 * 1024 * 1024;
  }

  /** Rejects with HostError `spawn-failed`, saying what was looked for and where. */
  open(sink: TransportSink): Promise<void> {
    this.sink = sink;
    this.log = new OutputLog(sink, this.options.secretValues ?? [], this.clock);
    return new Promise((resolve, reject) => {
      let child: Child;
      try {
        child = this.spawn();
      } catch (error) {
        reject(this.spawnError(error));
        return;
      }
      this.child = child;
      child.once('spawn', () => {
        if (child.pid !== undefined) this.options.records?.add(child.pid, this.options.serverId ?? '');
        resolve();
      });
      child.once('error', (error) => {
        // Also fires when a signal cannot be delivered; only before the start does it mean that there is no process.
        if (child.pid !== undefined) return;
        this.isEnded = true;
        this.exited.resolve();
        reject(this.spawnError(error));
      });
      child.once('exit', (code, signalName) => this.onExit(code, signalName));
      this.read(child);
    });
  }

  send(message: Outgoing): void {
    if (this.isEnded || this.closing || !this.child) {
      message.fail?.(new HostError('closed', 'The server is not running any more.'));
      return;
    }
    if (this.child.stdin.writableLength + this.outbox.length > maxBacklogBytes) {
      message.fail?.(new HostError('send-failed', 'The server does not read what it is sent; too much waits already.', { hint: 'Restart the server.' }));
      return;
    }
    // One write for all messages of a turn: many calls at once cost one system call.
    if (this.outbox === '') queueMicrotask(() => this.flush());
    this.outbox += this.usesContentLength ? frameWithLength(message.text) : `${message.text}\n`;
    if (message.fail) this.outgoing.push(message);
  }

  close(): Promise<void> {
    this.closing ??= this.shutDown();
    return this.closing;
  }

  kill(): void {
    this.forced.resolve();
  }

  describe(): { pid?: number } {
    return this.child?.pid === undefined || this.isEnded ? {} : { pid: this.child.pid };
  }

  private spawn(): Child {
    const { command, args, env, cwd } = this.options;
    const isWindows = this.platform === 'win32';
    const found = isWindows ? findCommand(command, env, cwd, this.platform).found : undefined;
    const start = isWindows ? windowsCommand(found ?? command, args, env['COMSPEC']) : { command, args: [...args], windowsVerbatimArguments: false };
    return spawn(start.command, start.args, {
      cwd,
      env: { ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
      shell: false,
      windowsHide: true,
      windowsVerbatimArguments: start.windowsVerbatimArguments,
      // On POSIX the child leads a group, so that its whole tree can be signalled.
      detached: !isWindows,
    });
  }

  private read(child: Child): void {
    const onLine = (line: string) => this.receive(line);
    let parser: ByteParser | undefined;
    // Which framing the server speaks shows in its first bytes; what is a banner to the one is a header to the other.
    const detect: ByteParser = {
      feed: (chunk, deadline) => {
        if (!parser) {
          this.usesContentLength = isContentLengthStart(chunk);
          if (this.usesContentLength) this.sink?.onWarning('The server uses Content-Length framing, which is not MCP; it is spoken to in the same way.');
          parser = this.usesContentLength ? new ContentLengthParser(onLine, this.maxMessageBytes) : new LineSplitter(onLine, this.maxMessageBytes);
          detect.feed = parser.feed.bind(parser);
        }
        return parser.feed(chunk, deadline);
      },
    };
    readInSlices(child.stdout, { feed: (chunk, deadline) => detect.feed(chunk, deadline) }, (error) => this.fail(error));
    child.stdout.on('error', (error) => this.fail(error));
    child.stdout.once('end', () => {
      // Nothing more can be answered, even if the process lives on.
      if (!this.exitInfo) void this.endAfterStdout();
    });
    child.stderr.on('data', (chunk: Buffer) => this.log?.stderr(chunk));
    child.stderr.on('error', () => undefined); // what is lost here is a log line
    child.stdin.on('error', (error) => this.failWrites(error));
  }

  private receive(line: string): void {
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      if (line.trim() !== '') this.log?.stray(line);
      return;
    }
    this.sink?.onMessage(message);
  }

  private flush(): void {
    const text = this.outbox;
    const messages = this.outgoing;
    this.outbox = '';
    this.outgoing = [];
    if (!this.child || this.isEnded) {
      for (const message of messages) message.fail?.(this.exitError());
      return;
    }
    this.child.stdin.write(text, (error) => {
      if (error) void this.failUnwritten(messages, error);
    });
  }

  /** A process that ends closes its pipe first and is seen to end a moment later; then how it ended is the reason, for everything that is open. */
  private async failUnwritten(messages: readonly Outgoing[], error: Error): Promise<void> {
    await Promise.race([this.exited.promise, sleep(exitMs)]);
    if (this.exitInfo && !this.closing) return;
    for (const message of messages) message.fail?.(new HostError('send-failed', `The message could not be written to the server: ${messageOf(error)}.`, { cause: error }));
  }

  private failWrites(error: Error): void {
    // The exit that follows says why; a server that closes its input and lives on cannot be talked to.
    if (this.exitInfo || this.isEnded || this.closing) return;
    this.sink?.onWarning(`Writing to the server failed: ${visibleLine(error.message)}`);
  }

  /** A message was too large or could not be framed: this server is over, others are not touched. */
  private fail(error: unknown): void {
    this.end(error instanceof Error ? error : new Error(String(error)));
    void this.close();
  }

  private onExit(code: number | null, signalName: NodeJS.Signals | null): void {
    this.exitInfo = { code, signal: signalName };
    this.exited.resolve();
    const { child } = this;
    const open = [child?.stdout, child?.stderr].filter((pipe) => pipe !== undefined && !pipe.readableEnded);
    if (open.length === 0) {
      this.end(this.exitError());
      return;
    }
    // What the server wrote before it ended still counts, last words too; a pipe that somebody else holds open does not.
    const timer = this.clock.after(drainMs, () => this.end(this.exitError()));
    let left = open.length;
    for (const pipe of open) {
      pipe?.once('end', () => {
        if (--left > 0) return;
        timer.dispose();
        this.end(this.exitError());
      });
    }
  }

  private async endAfterStdout(): Promise<void> {
    await Promise.race([this.exited.promise, sleep(drainMs)]);
    if (this.exitInfo) return; // the exit ends it, when its last words are read
    this.end(new HostError('closed', 'The server closed its output.', { hint: 'Its log may say why.' }));
    void this.close();
  }

  private end(reason: Error): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.log?.flush();
    this.sink?.onClose(this.closing ? undefined : reason);
  }

  private exitError(): HostError {
    const { code, signal: signalName } = this.exitInfo ?? { code: null, signal: null };
    const how = signalName ? `was ended by ${signalName}` : `ended with code ${code}`;
    this.log?.flush(); // a last line may have no end
    const stderr = this.log?.lastLines ?? [];
    const last = stderr.at(-1);
    return new HostError('exited', `The server process ${how}${last === undefined ? '.' : `: ${visibleLine(last, 200)}`}`, {
      data: { code, signal: signalName, stderr },
      hint: 'Its log has all that it wrote.',
    });
  }

  private spawnError(error: unknown): HostError {
    const { command, cwd, env } = this.options;
    const errno = (error as NodeJS.ErrnoException).code ?? 'unknown';
    const shown = visibleLine(command, 300);
    const data = { command, errno };
    // A folder that does not exist is reported as a missing command by the system.
    if (!isFolder(cwd)) {
      return new HostError('spawn-failed', `The folder to start "${shown}" in does not exist: ${visibleLine(cwd, 300)}`, { cause: error, data, hint: 'Correct "cwd" in the configuration.' });
    }
    if (errno === 'ENOENT') {
      const { folders } = findCommand(command, env, cwd, this.platform);
      const isPath = command.includes('/') || command.includes('\\');
      return new HostError('spawn-failed', `Command not found: ${shown}${isPath ? '' : ` (looked in the ${folders.length} folders of PATH)`}.`, {
        cause: error,
        data: { ...data, folders },
        hint: remedyFor(command),
      });
    }
    if (errno === 'EACCES') {
      return new HostError('spawn-failed', `"${shown}" may not be run: permission denied.`, { cause: error, data, hint: 'Make the file executable, or start it through its interpreter.' });
    }
    return new HostError('spawn-failed', `"${shown}" could not be started: ${visibleLine(messageOf(error))}.`, { cause: error, data });
  }

  /** Stdin ends → SIGTERM → SIGKILL, each for the whole tree, each with its grace (specification: lifecycle, Shutdown). */
  private async shutDown(): Promise<void> {
    const { child, log } = this;
    const pid = child?.pid;
    if (!child || pid === undefined) {
      this.end(new HostError('closed', 'The server was stopped.'));
      return;
    }
    const graceMs = this.options.graceMs ?? 2_000;
    // Known before anything ends: who leaves the group or loses the parent could not be found afterwards.
    const tree = [{ pid, parent: 0, startedAt: '' }, ...descendantsOf(pid, await listProcesses(this.platform))];
    child.stdin.end();
    if (!(await this.goneWithin(tree, graceMs))) {
      if (this.platform !== 'win32') this.signalTree(tree, 'SIGTERM');
      if (this.platform === 'win32' || !(await this.goneWithin(tree, graceMs))) {
        if (this.platform === 'win32') await killTree(pid, this.platform);
        else this.signalTree([...tree, ...descendantsOf(pid, await listProcesses(this.platform))], 'SIGKILL');
        await this.goneWithin(tree, graceMs, true);
      }
    }
    child.stdout.destroy();
    child.stderr.destroy();
    log?.flush();
    this.options.records?.remove(pid);
    this.end(new HostError('closed', 'The server was stopped.'));
  }

  private signalTree(tree: readonly ProcessInfo[], name: NodeJS.Signals): void {
    const [leader] = tree;
    if (leader) signal(-leader.pid, name);
    for (const { pid } of tree) signal(pid, name);
  }

  /** True when every process of the tree has ended; at once false when somebody forces. */
  private async goneWithin(tree: readonly ProcessInfo[], ms: number, ignoresForce = false): Promise<boolean> {
    const deadline = this.clock.now() + ms;
    for (;;) {
      if (await this.isGone(tree)) return true;
      if (this.clock.now() >= deadline || (this.forced.isSettled && !ignoresForce)) return false;
      // Processes are looked at in real time, and a program must not end before its servers have.
      await Promise.race([sleep(pollMs), ...(ignoresForce ? [] : [this.forced.promise])]);
    }
  }

  private async isGone(tree: readonly ProcessInfo[]): Promise<boolean> {
    if (!this.exitInfo) return false;
    for (const { pid, startedAt } of tree.slice(1)) {
      if (isAlive(pid) && (await startTimeOf(pid, this.platform)) === startedAt) return false;
    }
    // The group may have grown since the tree was read.
    const [leader] = tree;
    return this.platform === 'win32' || !leader || !isGroupAlive(leader.pid);
  }
}

/** True while any process of the group exists. Zombies keep a group alive until their parent looks; /proc tells them apart. */
function isGroupAlive(group: number): boolean {
  try {
    process.kill(-group, 0);
    return true;
  } catch {
    return false;
  }
}

function isFolder(folder: string): boolean {
  try {
    return statSync(folder).isDirectory();
  } catch {
    return false;
  }
}

