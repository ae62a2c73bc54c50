/**
 * Where doors (`src/cli/door.ts`) connect to the gateway of a window: a socket that only this user can open, and a
 * private file that contains its address. A door sends one line with the token, and then the messages of its client.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { chmod, lstat, mkdtemp, realpath, rm } from 'node:fs/promises';
import type { Server, Socket } from 'node:net';
import { createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { isObject } from '../base/guards.js';
import { messageOf } from '../base/hostError.js';
import type { Log } from '../base/log.js';
import { Sequencer } from '../base/sequencer.js';
import { makePrivateFolder, writePrivateFile } from './door/privateFiles.js';
import type { WindowRecord } from './door/windowRecords.js';
import { doorProtocol, removeDeadRecords, windowsFolder } from './door/windowRecords.js';
import { LineTransport } from '../serving/lineTransport.js';
import type { McpServer } from '../serving/mcpServer.js';
import { UnsentBytes } from '../serving/unsentBytes.js';

export interface DoorSocketOptions {
  /** The folder that contains the door script and the records of windows. */
  folder: string;
  /** The open folders. */
  folders: () => readonly string[];
  /** Whether the window is focused now; default true. */
  isFocused?: boolean;
}

export interface DoorSocket {
  /**
   * Writes the record again: the open folders have changed, or the window was focused. Never rejects.
   * @param isFocused whether the window has just received the focus.
   */
  refresh(isFocused: boolean): Promise<void>;
  close(): Promise<void>;
}

/** Limits of the path of a Unix socket, bytes: 104 on macOS, 108 on Linux, with the final zero. */
const maxSocketPath = 100;

/** How long a door may take to send its first line, in milliseconds. */
const greetingMs = 5_000;
/** Maximum size of the first line of a door, bytes. */
const maxGreetingBytes = 4_096;

/** Maximum number of doors at the same time. */
const maxDoors = 100;

/** Maximum size of one message of a client, bytes. */
const maxMessageBytes = 16 * 1024 * 1024;
/** Maximum size of the messages that wait until the clients of all doors read them, bytes. */
const maxWaitingBytes = 128 * 1024 * 1024;

/** Opens the socket for doors. Rejects with the error of the operating system. */
export async function openDoorSocket(server: McpServer, options: DoorSocketOptions, log: Log): Promise<DoorSocket> {
  const { folder } = options;
  const windows = windowsFolder(folder);
  await makePrivateFolder(folder);
  await makePrivateFolder(windows);
  await removeDeadRecords(folder).catch((error: unknown) => log.write('warn', `Door: ${messageOf(error)}`));
  const token = randomBytes(32).toString('base64url');
  const file = path.join(windows, `${process.pid}-${randomBytes(6).toString('hex')}.json`);
  const steps = new Sequencer();
  // A window that opens in the background does not replace the one in which the user works.
  let focusedAt = (options.isFocused ?? true) ? Date.now() : 0;
  let isClosed = false;
  let socket = await listen(server, token, log);
  const write = async () => {
    if (isClosed) return;
    // A cleanup tool can remove the socket from a folder for temporary files.
    if (process.platform !== 'win32' && !(await exists(socket.address))) {
      await socket.close();
      socket = await listen(server, token, log);
    }
    const record: WindowRecord = {
      pid: process.pid,
      computer: os.hostname(),
      socket: socket.address,
      token,
      folders: await Promise.all(options.folders().map((open) => realpath(open).catch(() => open))),
      focusedAt,
    };
    await writePrivateFile(file, JSON.stringify(record));
  };
  await steps.run(write).catch(async (error: unknown) => {
    await socket.close();
    throw error;
  });
  return {
    refresh: (isFocused) => {
      if (isFocused) focusedAt = Date.now();
      return steps.run(write).catch((error: unknown) => log.write('warn', `Door: ${messageOf(error)}`));
    },
    close: () =>
      steps.run(async () => {
        isClosed = true;
        await rm(file, { force: true });
        await socket.close();
      }),
  };
}

interface Listening {
  address: string;
  close(): Promise<void>;
}

async function listen(server: McpServer, token: string, log: Log): Promise<Listening> {
  const { address, remove } = await freeAddress();
  const sockets = new Set<Socket>();
  const unsent = new UnsentBytes(maxWaitingBytes);
  const listener: Server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    welcome(socket, { server, token, log, unsent });
  });
  listener.maxConnections = maxDoors;
  try {
    await new Promise<void>((resolve, reject) => listener.once('error', reject).listen(address, resolve));
    if (process.platform !== 'win32') await chmod(address, 0o600);
  } catch (error) {
    listener.close();
    await remove();
    throw error;
  }
  listener.on('error', (error) => log.write('warn', `Door: ${error.message}`));
  return {
    address,
    close: async () => {
      listener.close();
      for (const socket of sockets) socket.destroySoon();
      await remove();
    },
  };
}

/** Serves a connection as a client of the gateway after its first line contained the token. */
function welcome(
  socket: Socket,
  { server, token, log, unsent }: { server: McpServer; token: string; log: Log; unsent: UnsentBytes },
): void {
  let text = Buffer.alloc(0);
  const timer = setTimeout(() => socket.destroy(), greetingMs);
  const leave = () => {
    clearTimeout(timer);
    socket.off('data', onData);
  };
  const onData = (chunk: Buffer) => {
    text = Buffer.concat([text, chunk]);
    const end = text.indexOf(10);
    if (end === -1 && text.length <= maxGreetingBytes) return;
    leave();
    const query = end === -1 ? undefined : readGreeting(text.toString('utf8', 0, end), token);
    if (query === undefined) {
      log.write(
        'warn',
        'Door: a connection was refused, because its first line has no valid token, or is of another version.',
      );
      socket.destroy();
      return;
    }
    socket.pause();
    if (end + 1 < text.length) socket.unshift(text.subarray(end + 1));
    socket.write(`${JSON.stringify({ door: doorProtocol })}\n`);
    const transport = new LineTransport(socket, socket, {
      maxBytes: maxMessageBytes,
      maxWaitingBytes,
      wrote: () => unsent.wrote(socket),
      release: () => socket.destroySoon(),
    });
    server
      .connect(transport, undefined, { transport: 'stdio', query })
      .then(() => socket.resume())
      .catch(() => socket.destroy());
  };
  socket.on('data', onData);
  // The event `close` follows.
  socket.on('error', () => undefined);
  socket.once('close', leave);
}

/** The query of a first line with the token; undefined for any other line. */
function readGreeting(line: string, token: string): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isObject(value) || value['door'] !== doorProtocol || typeof value['token'] !== 'string') return undefined;
  const hash = (text: string) => createHash('sha256').update(text).digest();
  if (!timingSafeEqual(hash(value['token']), hash(token))) return undefined;
  return typeof value['query'] === 'string' ? value['query'] : '';
}

/** An address that only this user can connect to: a socket in a new private folder, or a pipe with a random name. */
async function freeAddress(): Promise<{ address: string; remove: () => Promise<void> }> {
  if (process.platform === 'win32')
    return { address: `\\\\.\\pipe\\mcp-deck-${randomBytes(16).toString('hex')}`, remove: async () => undefined };
  const runtime = process.env['XDG_RUNTIME_DIR'];
  const bases = [...(runtime === undefined || !path.isAbsolute(runtime) ? [] : [runtime]), os.tmpdir(), '/tmp'];
  let failure: unknown;
  for (const base of bases) {
    try {
      if (Buffer.byteLength(path.join(base, 'mcp-deck-XXXXXX', 's')) > maxSocketPath) continue;
      const folder = await mkdtemp(path.join(base, 'mcp-deck-'));
      return { address: path.join(folder, 's'), remove: () => rm(folder, { recursive: true, force: true }) };
    } catch (error) {
      failure = error;
    }
  }
  throw failure ?? new Error('No folder for temporary files has a path that is short enough for a socket.');
}

function exists(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    () => false,
  );
}
