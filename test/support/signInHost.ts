import { LocalLock } from '../../src/core/auth/authLock.js';
import type { AuditRecord } from '../../src/core/consent/audit.js';
import { unguarded } from './unguarded.js';
import type { AuthLock } from '../../src/core/auth/authLock.js';
import type { OpenBrowser } from '../../src/core/auth/authorizationFlow.js';
import { LoopbackReceiver } from '../../src/core/auth/loopbackReceiver.js';
import type { AskClient } from '../../src/core/auth/personSignIn.js';
import { systemClock } from '../../src/core/base/clock.js';
import { Emitter, neverEvent } from '../../src/core/base/event.js';
import { nullLog } from '../../src/core/base/log.js';
import { McpHost } from '../../src/core/host/mcpHost.js';
import type { HostSettings } from '../../src/core/config/hostSettings.js';
import type { HostPorts } from '../../src/core/host/ports.js';
import { FakeBrowser } from './authClient.js';
import { MemorySecrets } from './memorySecrets.js';
import './judgedSessions.js';

export interface SignInHostOptions {
  /** User settings: servers by name. */
  servers: Record<string, unknown>;
  secrets?: MemorySecrets;
  lock?: AuthLock;
  askClient?: AskClient;
  /** Replaces the browser that agrees automatically. */
  openBrowser?: OpenBrowser;
  settings?: Partial<HostSettings>;
  files?: Record<string, string>;
  /** Workspace state that outlives the window. */
  state?: Map<string, unknown>;
}

/** One window: a whole host whose browser agrees automatically. Windows with the same `secrets` belong to one user. */
export function signInHost({
  servers,
  secrets = new MemorySecrets(),
  lock = new LocalLock(),
  askClient,
  openBrowser,
  settings,
  files = {},
  state = new Map(),
}: SignInHostOptions) {
  const browser = new FakeBrowser();
  let aheadMs = 0;
  const logged: string[] = [];
  const noted: AuditRecord[] = [];
  const configurationChanged = new Emitter<void>();
  const configured = { servers };
  let surroundingsMade = 0;
  const ports: HostPorts = {
    log: nullLog,
    serverLog: () => ({
      write: (level, line) => logged.push(`${level} ${line}`),
      level: () => 'info',
      onDidChangeLevel: neverEvent,
    }),
    settings: {
      current: () => ({
        autoStart: 'never',
        maxMessageBytes: 2 ** 26,
        requestTimeoutMs: 10_000,
        startTimeoutMs: 10_000,
        stopGraceMs: 300,
        trace: 'off',
        builtInServer: false,
        restartOnCrash: true,
        ...settings,
      }),
      onDidChange: neverEvent,
    },
    configuration: {
      read: () =>
        Promise.resolve([{ source: { id: 'user', kind: 'user', label: 'User settings' }, value: configured.servers }]),
      onDidChange: configurationChanged.event,
    },
    trust: {
      isWorkspaceTrusted: () => true,
      onDidGrantTrust: neverEvent,
      confirmStart: () => Promise.resolve('allow'),
    },
    state: { get: (key) => state.get(key), set: (key, value) => Promise.resolve(void state.set(key, value)) },
    secrets,
    consent: unguarded,
    audit: { note: (record) => noted.push(record) },
    inputs: { ask: () => Promise.resolve('typed') },
    roots: { roots: () => [], onDidChange: neverEvent },
    machine: {
      env: {},
      platform: process.platform,
      userHome: '/home/me',
      readFile: (file) =>
        files[file] === undefined ? Promise.reject(new Error('no such file')) : Promise.resolve(files[file]),
      folders: () => [],
      getSetting: () => undefined,
      isSetByWorkspace: () => false,
    },
    signIn: () => {
      surroundingsMade++;
      return Promise.resolve({
        secrets,
        lock,
        openBrowser: openBrowser ?? browser.open,
        receiver: new LoopbackReceiver(),
        askClient: askClient ?? (() => Promise.resolve(undefined)),
      });
    },
    client: { name: 'test', title: 'Test', version: '1' },
    clock: { now: () => systemClock.now() + aheadMs, after: (ms, run) => systemClock.after(ms, run) },
  };
  const host = new McpHost(ports);
  return {
    host,
    browser,
    secrets,
    logged,
    /** The entries of the audit log. */
    noted,
    /** Advances the time of day only; timers do not move. */
    pass: (ms: number) => {
      aheadMs += ms;
    },
    surroundingsMade: () => surroundingsMade,
    edit: (fresh: Record<string, unknown>) => {
      configured.servers = fresh;
      configurationChanged.fire();
    },
    state: (server: string) => host.servers.get(server)?.state.kind,
    auth: (server: string) => host.servers.get(server)?.auth?.state.kind,
  };
}
