import { Emitter } from '../../src/core/base/event.js';
import { nullLog } from '../../src/core/base/log.js';
import type { Clock } from '../../src/core/base/clock.js';
import { unguarded } from './unguarded.js';
import type { ConfigSource } from '../../src/core/config/serverDefinition.js';
import { McpHost } from '../../src/core/host/mcpHost.js';
import type { HostSettings } from '../../src/core/config/hostSettings.js';
import type { HostPorts } from '../../src/core/host/ports.js';
import { problemLine } from '../../src/core/present/form/schemaProblems.js';
import { SchemaValidator } from '../../src/core/schema/schemaValidator.js';
import './judgedSessions.js';
import { patientLimits } from './patientLimits.js';

/** A whole host without a window: every port is in memory, the user agrees to everything, and events are recorded. */
export interface HeadlessHost {
  host: McpHost;
  /** What the host uses, for another host beside it. */
  ports: HostPorts;
  /** Log lines by server, each with its level. */
  logs: Map<string, string[]>;
  /** Requests from a server to the user: sampling, elicitation. */
  asked: { server: string; kind: 'sampling' | 'form' | 'url' }[];
  /** What the sampling requests of a server wait for. */
  held: Map<string, Promise<unknown>>;
}

const userSettings: ConfigSource = { id: 'user', kind: 'user', label: 'User settings' };

export interface HeadlessOptions {
  /** As in the user's settings: they start without a question. */
  servers: Record<string, unknown>;
  settings?: Partial<HostSettings>;
  clock?: Clock;
  /** Parts that a test provides itself. */
  ports?: Partial<HostPorts>;
}

/** The caller opens and closes it. */
export function headlessHost({ servers, settings, clock, ports: own }: HeadlessOptions): HeadlessHost {
  const never = new Emitter<void>();
  const logs = new Map<string, string[]>();
  const asked: HeadlessHost['asked'] = [];
  const held: HeadlessHost['held'] = new Map();
  const state = new Map<string, unknown>();
  const secrets = new Map<string, string>();
  const ports: HostPorts = {
    log: nullLog,
    serverLog: (entry) => ({
      write: (level, line) => {
        const lines = logs.get(entry.id) ?? [];
        logs.set(entry.id, lines);
        lines.push(`${level} ${line}`);
      },
      level: () => 'debug',
      onDidChangeLevel: never.event,
    }),
    settings: {
      current: () => ({
        autoStart: 'never',
        maxMessageBytes: 2 ** 20,
        requestTimeoutMs: 20_000,
        startTimeoutMs: 20_000,
        stopGraceMs: 200,
        trace: 'off',
        builtInServer: false,
        restartOnCrash: false,
        ...settings,
      }),
      onDidChange: never.event,
    },
    configuration: {
      read: () => Promise.resolve([{ source: userSettings, value: servers }]),
      onDidChange: never.event,
    },
    trust: {
      isWorkspaceTrusted: () => true,
      onDidGrantTrust: never.event,
      confirmStart: () => Promise.resolve('allow'),
    },
    state: { get: (key) => state.get(key), set: (key, value) => Promise.resolve(void state.set(key, value)) },
    secrets: {
      get: (key) => Promise.resolve(secrets.get(key)),
      set: (key, value) => Promise.resolve(void secrets.set(key, value)),
      delete: (key) => Promise.resolve(void secrets.delete(key)),
    },
    consent: unguarded,
    inputs: { ask: () => Promise.resolve(undefined) },
    roots: { roots: () => [{ uri: 'file:///w', name: 'w' }], onDidChange: never.event },
    machine: {
      env: { PATH: process.env['PATH'], VSCODE_PID: '1', GITHUB_TOKEN: 'not-for-servers' },
      platform: process.platform,
      userHome: process.cwd(),
      readFile: () => Promise.reject(new Error('There are no files here.')),
      folders: () => [{ name: 'w', path: process.cwd() }],
      getSetting: () => undefined,
      isSetByWorkspace: () => false,
    },
    sampler: {
      createMessage: async (entry) => {
        asked.push({ server: entry.id, kind: 'sampling' });
        await held.get(entry.id);
        return { role: 'assistant', content: { type: 'text', text: 'hello' }, model: 'test' };
      },
    },
    elicitor: {
      elicit: (entry, { mode }) => {
        asked.push({ server: entry.id, kind: mode });
        return Promise.resolve({ action: 'accept', content: {} });
      },
    },
    client: { name: 'test', title: 'Test', version: '1' },
    ...(clock ? { clock } : {}),
    ...own,
  };
  const validator = new SchemaValidator(patientLimits);
  const host = new McpHost(ports, {
    checkOutput: (schema, value) => validator.check(schema, value).problems.map((problem) => problemLine(problem)),
  });
  return { host, ports, logs, asked, held };
}
