import { readFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Emitter } from '../core/base/event.js';
import { HostError } from '../core/base/hostError.js';
import type { Log } from '../core/base/log.js';
import type { ConfigSource } from '../core/config/serverDefinition.js';
import type { CallConsent } from '../core/consent/toolConsent.js';
import type { HostPorts } from '../core/host/ports.js';
import type { ConfigurationFile } from './configurationFile.js';

export interface ProgramPortsOptions {
  /** The file with `servers`, as in `mcp.json`. */
  config: ConfigurationFile;
  version: string;
  log: Log;
  consent: CallConsent;
}

/**
 * The ports of a host without a window: every question to the user is refused, and nothing is stored on the disk. The
 * command line is the approval to start the servers of the file.
 */
export function programPorts({ config, version, log, consent }: ProgramPortsOptions): HostPorts {
  const never = new Emitter<void>().event;
  const { file } = config;
  const folder = process.cwd();
  // The servers are treated like those of the user settings, because the user named the file on the command line.
  const source: ConfigSource = { id: `user:${file}`, kind: 'user', label: path.basename(file) };
  const state = new Map<string, unknown>();
  const secrets = new Map<string, string>();
  return {
    log,
    serverLog: (entry) => ({
      write: (level, line) => log.write(level, `[${entry.id}] ${line}`),
      level: () => 'warning',
      onDidChangeLevel: never,
    }),
    settings: {
      current: () => ({
        autoStart: 'never',
        maxMessageBytes: 64 * 1024 * 1024,
        requestTimeoutMs: 60_000,
        startTimeoutMs: 60_000,
        stopGraceMs: 2_000,
        trace: 'off',
        builtInServer: false,
        restartOnCrash: true,
      }),
      onDidChange: never,
    },
    configuration: {
      read: async () => [{ source, text: await config.read() }],
      onDidChange: config.onDidChange,
    },
    trust: { isWorkspaceTrusted: () => true, onDidGrantTrust: never, confirmStart: () => Promise.resolve('allow') },
    state: { get: (key) => state.get(key), set: (key, value) => Promise.resolve(void state.set(key, value)) },
    secrets: {
      get: (key) => Promise.resolve(secrets.get(key)),
      set: (key, value) => Promise.resolve(void secrets.set(key, value)),
      delete: (key) => Promise.resolve(void secrets.delete(key)),
    },
    // A value of `${input:NAME}` comes from the environment variable NAME.
    inputs: { ask: ({ id }) => Promise.resolve(process.env[id]) },
    consent,
    roots: {
      roots: () => [{ uri: pathToFileURL(folder).href, name: path.basename(folder) }],
      onDidChange: never,
    },
    machine: {
      env: process.env,
      platform: process.platform,
      userHome: os.homedir(),
      readFile: (name) => readFile(name, 'utf8'),
      folders: () => [{ name: path.basename(folder), path: folder }],
      getSetting: () => undefined,
      isSetByWorkspace: () => false,
    },
    sampler: { createMessage: () => Promise.reject(noUser()) },
    elicitor: { elicit: () => Promise.reject(noUser()) },
    client: { name: 'mcp-deck', title: 'MCP Deck', version },
  };
}

function noUser(): HostError {
  return new HostError('cancelled', 'There is no window in which the user could answer.');
}
