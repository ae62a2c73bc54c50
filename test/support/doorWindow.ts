import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { openGateway } from '../../src/core/gateway/openGateway.js';
import type { OpenedGateway } from '../../src/core/gateway/openGateway.js';
import { windowsFolder } from '../../src/core/door/windowRecords.js';
import { nullLog } from '../../src/core/base/log.js';
import type { Log } from '../../src/core/base/log.js';
import { systemClock } from '../../src/core/base/clock.js';
import type { HostPorts } from '../../src/core/host/ports.js';
import { McpSession } from '../../src/core/session/mcpSession.js';
import type { SessionListener } from '../../src/core/session/codec.js';
import type { ServerRequestHandlers } from '../../src/core/session/serverRequests.js';
import { StdioTransport } from '../../src/core/transport/stdio/stdioTransport.js';
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
}

export function doorPlace(t: TestContext): DoorPlace {
  const root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'mcp deck door ')));
  t.after(() => rmSync(root, { recursive: true, force: true }));
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
}

/** A window whose gateway is on and approves every client. */
export async function openDoorWindow(options: DoorWindowOptions): Promise<DoorWindow> {
  const { door, folders, servers = ['one'], log = nullLog, ports = {} } = options;
  const { host } = headlessHost({
    servers: Object.fromEntries(
      servers.map((name) => [name, { command: process.execPath, args: [counting, name] }]),
    ),
    ports,
  });
  await host.open();
  const gateway = await openGateway({
    host,
    info: { name: 'mcp-deck', title: 'MCP Deck', version: '0.1.0' },
    log,
    validate: () => [],
    token: 'secret',
    approvals: { isApproved: () => true, ask: () => Promise.resolve(true) },
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
export async function doorWindow(t: TestContext, options: DoorWindowOptions): Promise<DoorWindow> {
  const window = await openDoorWindow(options);
  t.after(() => window.close());
  return window;
}

export interface DoorClientOptions {
  script: string;
  folder: string;
  era?: 'legacy' | '2026-07-28';
  name?: string;
  args?: string[];
  handlers?: ServerRequestHandlers;
  listener?: SessionListener;
}

/** A client that starts the door as a process. */
export async function doorClient(t: TestContext, options: DoorClientOptions): Promise<McpSession> {
  const { script, folder, era = 'legacy', name = 'agent', args = [], handlers, listener } = options;
  const session = await McpSession.open(
    () => new StdioTransport({ command: process.execPath, args: [script, ...args], env: {}, cwd: folder }),
    {
      client: { name, version: '1' },
      protocol: era,
      ...(handlers ? { handlers } : {}),
      ...(listener ? { listener } : {}),
    },
  );
  t.after(() => session.close());
  return session;
}

export const toolNames = async (session: McpSession): Promise<string[]> =>
  (await session.listTools()).items.map(({ name }) => name);
