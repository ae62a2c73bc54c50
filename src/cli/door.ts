/**
 * The door: an MCP server on standard streams that relays to the gateway of the VS Code window in which the folder of
 * its caller is open. With `--any-window`, any window may serve a folder that no window has open. The extension writes
 * the door into the folder that contains the records of its windows. Usage:
 *
 *     mcp-deck-door [--preset NAME] [--agent APP] [--folder PATH] [--any-window]
 */
import type { FSWatcher } from 'node:fs';
import { watch } from 'node:fs';
import { mkdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { parseArgs } from 'node:util';
import { messageOf } from '../core/base/hostError.js';
import type { WindowChoice } from '../core/gateway/door/chooseWindow.js';
import { chooseWindow } from '../core/gateway/door/chooseWindow.js';
import { readWindowRecords, windowsFolder } from '../core/gateway/door/windowRecords.js';
import { ErrorCode } from '../core/protocol/jsonRpc.js';
import { BoundedLines } from './door/boundedLines.js';
import { errorLine } from './door/doorAnswers.js';
import { DoorSession } from './door/doorSession.js';
import { KnownLists } from './door/knownLists.js';
import type { WindowLink } from './door/windowLink.js';
import { openLink } from './door/windowLink.js';

/** Set by the build. */
declare const deckVersion: string;

/** Maximum size of a message of the client, bytes, as in the gateway. */
const maxMessageBytes = 16 * 1024 * 1024;

/** Amount of unread data above which the door stops reading from the other side, bytes. */
const maxUnreadBytes = 16 * 1024 * 1024;

/** How long requests wait for a window that was connected, in milliseconds. A window needs a few seconds to reload. */
const returnMs = 15_000;

/** How often the door looks for a window while requests wait, even if the folder reports no change, in milliseconds. */
const waitingMs = 1_000;
/** How often the door looks for a window while no request waits, in milliseconds. */
const idleMs = 30_000;

/**
 * How long the door waits before it looks for a window after the folder changed or a connection ended, in milliseconds.
 */
const settleMs = 50;

const doorFolder = path.dirname(process.argv[1] ?? '');

class Door {
  private readonly session: DoorSession;
  private link: WindowLink | undefined;
  private seeking: Promise<void> | undefined;
  private watcher: FSWatcher | undefined;
  private timer: NodeJS.Timeout | undefined;
  private idle: NodeJS.Timeout | undefined;
  private lostAt = -Infinity;
  private isEnded = false;

  constructor(
    private readonly folder: string,
    private readonly isAnyWindow: boolean,
    private readonly query: string,
  ) {
    this.session = new DoorSession({
      info: { name: 'mcp-deck', title: 'MCP Deck', version: deckVersion },
      toClient: (line) => this.toClient(line),
      seek: () => void this.seek(),
      lists: (client, revision) =>
        new KnownLists(path.join(doorFolder, 'known'), [folder, String(isAnyWindow), query, client, revision]),
    });
  }

  open(): void {
    const lines = new BoundedLines(
      maxMessageBytes,
      (line) => line.trim() !== '' && this.session.fromClient(line),
      () => this.toClient(errorLine(null, ErrorCode.invalidRequest, 'The message is larger than 16 MiB.')),
    );
    process.stdin.on('data', (chunk: Buffer) => {
      lines.feed(chunk);
      const socket = this.link?.socket;
      if (socket && socket.writableLength >= maxUnreadBytes) pauseUntilRead(process.stdin, socket);
    });
    process.stdin.once('end', () => this.end());
    process.stdin.once('error', () => this.end());
    process.stdout.once('error', () => process.exit(0));
    // The folder does not exist until a gateway starts for the first time.
    void mkdir(windowsFolder(doorFolder), { recursive: true, mode: 0o700 })
      .catch(() => undefined)
      .then(() => this.watch());
    this.idle = setInterval(() => {
      this.watch();
      void this.seek();
    }, idleMs);
    void this.seek();
  }

  private toClient(line: string): void {
    process.stdout.write(`${line}\n`);
    const socket = this.link?.socket;
    if (socket && process.stdout.writableLength >= maxUnreadBytes) pauseUntilRead(socket, process.stdout);
  }

  /** Looks for a window once. Calls during the search wait for the same search. */
  private seek(): Promise<void> {
    return (this.seeking ??= this.seekOnce()
      .catch((error: unknown) =>
        this.session.absent(`MCP Deck could not look for a VS Code window: ${messageOf(error)}`, false),
      )
      .finally(() => (this.seeking = undefined)));
  }

  private async seekOnce(): Promise<void> {
    const { windows, advice } = await this.choice();
    if (this.isEnded) return;
    if (this.link) {
      // The window may have closed the folder.
      if (!this.isAnyWindow && !windows.some(({ name }) => name === this.link?.record.name)) this.link.socket.destroy();
      return;
    }
    for (const record of windows) {
      const link = await openLink(record, this.query, {
        onLine: (line) => this.session.fromWindow(line),
        onEnd: () => this.lose(),
      });
      if (!link) continue;
      if (this.isEnded || link.socket.destroyed) {
        link.socket.destroy();
        continue;
      }
      this.link = link;
      this.session.attach((line) => link.socket.write(`${line}\n`));
      return;
    }
    const isBrief = performance.now() - this.lostAt < returnMs;
    this.session.absent(advice, isBrief);
    if (this.session.isWaiting) this.seekAfter(waitingMs);
  }

  private async choice(): Promise<WindowChoice> {
    const records = await readWindowRecords(doorFolder);
    return chooseWindow({ folder: this.folder, isAnyWindow: this.isAnyWindow }, records);
  }

  private lose(): void {
    if (!this.link || this.isEnded) return;
    this.link = undefined;
    // If connections end repeatedly, the waiting time counts from the first end, so that requests do not wait longer.
    const now = performance.now();
    if (now - this.lostAt > returnMs) this.lostAt = now;
    this.session.detach(
      `The VS Code window closed, reloaded, closed this folder, or stopped its gateway while this request was open. The request may have run. Check its effect before you repeat it.`,
    );
    this.seekAfter(settleMs);
  }

  private seekAfter(ms: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.seek(), ms);
  }

  private watch(): void {
    if (this.watcher || this.isEnded) return;
    try {
      this.watcher = watch(windowsFolder(doorFolder), { persistent: false }, () => this.seekAfter(settleMs));
      this.watcher.on('error', () => this.unwatch());
    } catch {
      // Without a watcher, the door still looks for a window at regular intervals and with each request.
      this.watcher = undefined;
    }
  }

  private unwatch(): void {
    this.watcher?.close();
    this.watcher = undefined;
  }

  private end(): void {
    this.isEnded = true;
    this.session.end();
    clearTimeout(this.timer);
    clearInterval(this.idle);
    this.unwatch();
    this.link?.socket.destroySoon();
  }
}

/** Stops reading from `source` until `target` has sent what it buffers, or has closed. */
function pauseUntilRead(source: Readable, target: Writable): void {
  if (source.isPaused()) return;
  source.pause();
  const goOn = () => {
    target.off('drain', goOn).off('close', goOn);
    source.resume();
  };
  target.on('drain', goOn).on('close', goOn);
}

/** Whether the option names a folder. A caller that does not support variables passes them on unchanged. */
function isFolder(option: string | undefined): option is string {
  return option !== undefined && path.isAbsolute(option) && !option.includes('${');
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      preset: { type: 'string' },
      agent: { type: 'string' },
      folder: { type: 'string' },
      'any-window': { type: 'boolean', default: false },
    },
  });
  const named = path.resolve(isFolder(values.folder) ? values.folder : '.');
  const folder = await realpath(named).catch(() => named);
  const { preset, agent } = values;
  const query = new URLSearchParams({
    ...(preset === undefined ? {} : { preset }),
    ...(agent === undefined ? {} : { agent }),
  });
  new Door(folder, values['any-window'], query.toString()).open();
}

main().catch((error: unknown) => {
  process.stderr.write(`mcp-deck-door: ${messageOf(error)}\n`);
  process.exit(2);
});
