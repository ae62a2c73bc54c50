import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import type { ClientApprovals } from '../../src/core/gateway/gatewayClients.js';
import { openGateway } from '../../src/core/gateway/openGateway.js';
import type { OpenedGateway } from '../../src/core/gateway/openGateway.js';
import { windowsFolder } from '../../src/core/gateway/door/windowRecords.js';
import { nullLog } from '../../src/core/base/log.js';
import type { Log } from '../../src/core/base/log.js';
import type { Clock } from '../../src/core/base/clock.js';
import { systemClock } from '../../src/core/base/clock.js';
import type { HostPorts } from '../../src/core/host/ports.js';
import { McpSession } from '../../src/core/session/mcpSession.js';
import type { SessionListener } from '../../src/core/session/codec.js';
import type { ServerRequestHandlers } from '../../src/core/session/serverRequests.js';
import { StdioTransport } from '../../src/core/transport/stdio/stdioTransport.js';
import { until } from './httpUntil.js';
import { headlessHost } from './headlessHost.js';

const counting = path.resolve('test/fixtures/servers/counting.mjs');

/** A folder with the door script, and folders to open in windows. All are removed after the test. */
export interface DoorPlace {
  /** The folder of the door script and the records of windows. */
  door: string;
  script: string;
  windows: string;
  /** Creates a folder for a workspace. */
  folder(name: string): string;
  /** Runs before the folders are removed; the last one added runs first. */
  finally: (end: () => unknown) => void;
}

export function doorPlace(t: TestContext): DoorPlace {
  const root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'mcp deck door ')));
  const ends: (() => unknown)[] = [() => rmSync(root, { recursive: true, force: true, maxRetries: 5 })];
  t.after(async () => {
    for (const end of ends.reverse()) await end();
  });
  const door = path.join(root, 'door');
  mkdirSync(door, { mode: 0o700 });
  const script = path.join(door, 'mcp-deck-door.cjs');
  copyFileSync(path.resolve('dist/door.cjs'), script);
  return {
    door,
    script,
    windows: windowsFolder(door),
    folder: (name) => {
      const folder = path.join(root, name);
      mkdirSync(folder, { recursive: true });
      return folder;
    },
    finally: (end) => void ends.push(end),
  };
}

export interface DoorWindow {
  gateway: OpenedGateway;
  /** Closes the window. */
  close(): Promise<void>;
}

export interface DoorWindowOptions {
  door: string;
  folders: string[];
  /** The names of its counting servers; default: one server `one`. */
  servers?: string[];
  log?: Log;
  ports?: Partial<HostPorts>;
  /** Default: every client is approved. */
  approvals?: ClientApprovals;
  clock?: Clock;
}

/** A window whose gateway is on. */
export async function openDoorWindow(options: DoorWindowOptions): Promise<DoorWindow> {
  const { door, folders, servers = ['one'], log = nullLog, ports = {}, clock = systemClock } = options;
  const { approvals = { isApproved: () => true, ask: () => Promise.resolve(true) } } = options;
  const { host } = headlessHost({
    servers: Object.fromEntries(servers.map((name) => [name, { command: process.execPath, args: [counting, name] }])),
    ports,
  });
  await host.open();
  const gateway = await openGateway({
    host,
    info: { name: 'mcp-deck', title: 'MCP Deck', version: '0.1.0' },
    log,
    validate: () => [],
    token: 'secret',
    approvals,
    clock,
    user: { waitingText: 'Waiting', clock: systemClock },
    door: { folder: door, folders: () => folders },
  });
  let closing: Promise<void> | undefined;
  return {
    gateway,
    close: () => (closing ??= gateway.close().then(() => host.close())),
  };
}

/** Opens a window that is closed after the test. */
export async function doorWindow(
  place: DoorPlace,
  folders: string[],
  options: Omit<DoorWindowOptions, 'door' | 'folders'> = {},
): Promise<DoorWindow> {
  const window = await openDoorWindow({ ...options, door: place.door, folders });
  place.finally(() => window.close());
  return window;
}

export interface DoorClientOptions {
  era?: 'legacy' | '2026-07-28';
  name?: string;
  args?: string[];
  handlers?: ServerRequestHandlers;
  listener?: SessionListener;
}

/** A client that starts the door as a process. */
export async function doorClient(
  { script, finally: end }: DoorPlace,
  folder: string,
  options: DoorClientOptions = {},
): Promise<McpSession> {
  const { era = 'legacy', name = 'agent', args = [], handlers, listener } = options;
  const session = await McpSession.open(
    () => new StdioTransport({ command: process.execPath, args: [script, ...args], env: {}, cwd: folder }),
    {
      client: { name, version: '1' },
      protocol: era,
      ...(handlers ? { handlers } : {}),
      ...(listener ? { listener } : {}),
    },
  );
  end(() => session.close());
  return session;
}

export const toolNames = async (session: McpSession): Promise<string[]> =>
  (await session.listTools()).items.map(({ name }) => name);

/** The streams of a door process, for messages that no client sends. */
export interface RawDoor {
  /** All lines that the door has written. */
  lines: readonly string[];
  /** What the door has written to stderr. */
  errors: () => string;
  write(text: string): void;
  send(message: unknown): void;
  /** The answer to a request. */
  answer(id: number): Promise<unknown>;
  /** Closes the streams; resolves with the exit code. */
  end(): Promise<number | null>;
}

export function rawDoor({ script, finally: end }: DoorPlace, folder: string, args: string[] = []): RawDoor {
  const child = spawn(process.execPath, [script, ...args], { cwd: folder, stdio: 'pipe' });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const lines: string[] = [];
  let errors = '';
  child.stderr.on('data', (chunk) => (errors += String(chunk)));
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  end(async () => {
    child.kill();
    await exited;
  });
  const write = (text: string) => void child.stdin.write(text);
  return {
    lines,
    errors: () => errors,
    write,
    send: (message) => write(`${JSON.stringify(message)}\n`),
    answer: async (id) => {
      let found: unknown;
      await until(() => {
        found = lines
          .map((line) => JSON.parse(line) as { id?: unknown; method?: unknown })
          .find((message) => message.id === id && message.method === undefined);
        return found !== undefined;
      });
      return found;
    },
    end: async () => {
      child.stdin.end();
      return (await exited)[0];
    },
  };
}

/** A window in its own process, which can crash. */
export interface CrashingWindow {
  /** Resolves when a server of the window has asked a question. */
  isAsked(): Promise<void>;
  /** Ends the process without any cleanup. */
  crash(): Promise<void>;
}

export async function crashingWindow({ door, finally: end }: DoorPlace, folders: string[]): Promise<CrashingWindow> {
  const child = spawn(process.execPath, [path.resolve('dist/test/doorWindowChild.mjs'), door, ...folders], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  let log = '';
  child.stdout.on('data', (chunk) => (log += String(chunk)));
  const crash = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  end(crash);
  await until(() => log.includes('listening'));
  return { isAsked: () => until(() => log.includes('asked')), crash };
}
