/** Shared by the tests of the host: a whole host with ports in memory. */
import os from 'node:os';
import path from 'node:path';
import { Emitter } from '../../../src/core/base/event.js';
import { nullLog } from '../../../src/core/base/log.js';
import { unguarded } from '../../support/unguarded.js';
import type { AuditRecord } from '../../../src/core/consent/audit.js';
import type { StartDescription } from '../../../src/core/config/describeStart.js';
import type { ConfigSource } from '../../../src/core/config/serverDefinition.js';
import { McpHost } from '../../../src/core/host/mcpHost.js';
import type { HostSettings } from '../../../src/core/config/hostSettings.js';
import type { FileChanges, HostPorts } from '../../../src/core/host/ports.js';

export const odd = path.resolve('test/fixtures/servers/odd.mjs');

const workspaceFile: ConfigSource = {
  id: 'vscode:/w',
  kind: 'vscode',
  label: '.vscode/mcp.json',
  folderPath: process.cwd(),
  folderName: 'w',
};

const userSettings: ConfigSource = { id: 'user', kind: 'user', label: 'User settings' };

/** The PATH of this process without folders of the workspace, such as npm adds. */
export const ownPath = (process.env['PATH'] ?? '')
  .split(path.delimiter)
  .filter((folder) => path.isAbsolute(folder) && path.relative(process.cwd(), folder).startsWith('..'))
  .join(path.delimiter);

/** Every port of a host, complete and in memory; the options configure it for a test. */
export function makeHost(
  options: {
    workspace?: Record<string, unknown>;
    user?: Record<string, unknown>;
    isTrusted?: boolean;
    answer?: 'allow' | 'deny' | 'later';
    settings?: Partial<HostSettings>;
    state?: Map<string, unknown>;
    inputs?: unknown[];
    secrets?: Map<string, string>;
    values?: string[];
    fileChanges?: FileChanges;
    /** The PATH that VS Code was started with. */
    path?: string;
  } = {},
) {
  const files = {
    workspace: JSON.stringify({ servers: options.workspace ?? {}, inputs: options.inputs ?? [] }),
    user: options.user ?? {},
  };
  const configurationChanged = new Emitter<void>();
  const trustGranted = new Emitter<void>();
  const asked: string[] = [];
  const logged: string[] = [];
  const state = options.state ?? new Map<string, unknown>();
  const secrets = options.secrets ?? new Map<string, string>();
  const trust = { isTrusted: options.isTrusted ?? true };
  const envFile = { text: 'A=1' };
  /** Values of `${config:…}`: the workspace's value has priority. */
  const machineSettings = { workspace: new Map<string, unknown>(), user: new Map<string, unknown>() };
  const questions: StartDescription[] = [];
  const folders = [{ name: 'w', path: process.cwd() }];
  const noted: AuditRecord[] = [];
  const onAsked: { edit?: () => void } = {};
  const never = new Emitter<void>();
  const ports: HostPorts = {
    log: nullLog,
    serverLog: () => ({
      write: (level, line) => logged.push(`${level} ${line}`),
      level: () => 'info',
      onDidChangeLevel: never.event,
    }),
    settings: {
      current: () => ({
        autoStart: 'lastRunning',
        maxMessageBytes: 2 ** 26,
        requestTimeoutMs: 20_000,
        startTimeoutMs: 20_000,
        stopGraceMs: 300,
        trace: 'off',
        builtInServer: false,
        restartOnCrash: false,
        ...options.settings,
      }),
      onDidChange: never.event,
    },
    configuration: {
      read: () =>
        Promise.resolve([
          { source: workspaceFile, text: files.workspace },
          { source: userSettings, value: files.user, inputs: options.inputs },
        ]),
      onDidChange: configurationChanged.event,
    },
    trust: {
      isWorkspaceTrusted: () => trust.isTrusted,
      onDidGrantTrust: trustGranted.event,
      confirmStart: (entry, description) => {
        asked.push(entry.id);
        questions.push(description);
        onAsked.edit?.();
        return Promise.resolve(options.answer ?? 'allow');
      },
    },
    state: { get: (key) => state.get(key), set: (key, value) => Promise.resolve(void state.set(key, value)) },
    secrets: {
      get: (key) => Promise.resolve(secrets.get(key)),
      set: (key, value) => Promise.resolve(void secrets.set(key, value)),
      delete: (key) => Promise.resolve(void secrets.delete(key)),
    },
    consent: unguarded,
    audit: { note: (record) => noted.push(record) },
    debugger: { attach: () => Promise.resolve(), ended: () => Promise.resolve() },
    inputs: { ask: () => Promise.resolve(options.values?.shift()) },
    roots: { roots: () => [{ uri: 'file:///w', name: 'w' }], onDidChange: never.event },
    machine: {
      env: { PATH: options.path ?? ownPath, TERM: 'dumb' },
      platform: process.platform,
      userHome: os.homedir(),
      readFile: () => Promise.resolve(envFile.text),
      folders: () => [...folders],
      getSetting: (key) => machineSettings.workspace.get(key) ?? machineSettings.user.get(key),
      isSetByWorkspace: (key) => machineSettings.workspace.has(key),
    },
    client: { name: 'test', title: 'Test', version: '1' },
    ...(options.fileChanges ? { fileChanges: options.fileChanges } : {}),
  };
  const host = new McpHost(ports);
  const edit = async (servers: Record<string, unknown>) => {
    files.workspace = JSON.stringify({ servers });
    const changed = new Promise<void>((resolve) => {
      const listener = host.servers.onDidChange(({ server }) => {
        if (server !== undefined) return;
        listener.dispose();
        resolve();
      });
    });
    configurationChanged.fire();
    await changed;
  };
  return {
    host,
    noted,
    envFile,
    machineSettings,
    folders,
    questions,
    onAsked,
    asked,
    logged,
    state,
    trust,
    trustGranted,
    edit,
  };
}

export const server = (mode = 'ok') => ({ command: process.execPath, args: [odd, mode] });

export async function withHost(
  made: ReturnType<typeof makeHost>,
  run: (host: McpHost) => Promise<void>,
): Promise<void> {
  await made.host.open();
  try {
    await run(made.host);
  } finally {
    await made.host.close();
  }
}
