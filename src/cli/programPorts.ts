import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { neverEvent } from '../core/base/event.js';
import { HostError } from '../core/base/hostError.js';
import type { Log } from '../core/base/log.js';
import type { ConfigurationSource } from '../core/config/configurationSource.js';
import type { HostSettings } from '../core/config/hostSettings.js';
import { readSmallFile } from '../core/config/smallFile.js';
import type { CallConsent } from '../core/consent/callConsent.js';
import type { HostPorts } from '../core/host/ports.js';

export interface ProgramPortsOptions {
  /** The servers. */
  configuration: ConfigurationSource;
  version: string;
  log: Log;
  consent: CallConsent;
  /** Settings that differ from the defaults of a program. */
  settings?: Partial<HostSettings>;
}

/**
 * The ports of a host without a window. They ask the user nothing: the command line is the approval to start the
 * servers of the file, and inputs come from environment variables. Nothing is stored on the disk.
 */
export function programPorts({ configuration, version, log, consent, settings }: ProgramPortsOptions): HostPorts {
  const folder = process.cwd();
  const state = new Map<string, unknown>();
  const secrets = new Map<string, string>();
  return {
    log,
    serverLog: (entry) => ({
      write: (level, line) => log.write(level, `[${entry.id}] ${line}`),
      level: () => 'warning',
      onDidChangeLevel: neverEvent,
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
        ...settings,
      }),
      onDidChange: neverEvent,
    },
    configuration,
    trust: {
      isWorkspaceTrusted: () => true,
      onDidGrantTrust: neverEvent,
      confirmStart: () => Promise.resolve('allow'),
    },
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
      onDidChange: neverEvent,
    },
    machine: {
      env: process.env,
      platform: process.platform,
      userHome: os.homedir(),
      readFile: readSmallFile,
      folders: () => [{ name: path.basename(folder), path: folder }],
      getSetting: () => undefined,
      isSetByWorkspace: () => false,
    },
    client: { name: 'mcp-deck', title: 'MCP Deck', version },
  };
}

/** Refuses the questions of servers to the user, but declares to servers that the client supports these questions. */
export const refusedQuestions: Pick<HostPorts, 'sampler' | 'elicitor'> = {
  sampler: { createMessage: () => Promise.reject(noUser()) },
  elicitor: { elicit: () => Promise.reject(noUser()) },
};

function noUser(): HostError {
  return new HostError('cancelled', 'There is no window in which the user could answer.');
}
