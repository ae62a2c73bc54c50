import type { Event } from '../base/event.js';
import type { AutoStart } from './autoStart.js';

/** Whether the messages of all servers are recorded automatically. */
export type TraceSetting = 'off' | 'on';

/** An immutable snapshot of the settings that the host uses. */
export interface HostSettings {
  autoStart: AutoStart;
  /** Maximum size of a message, bytes; default 64 MiB. */
  maxMessageBytes: number;
  /** Default timeout of a request, ms; default 60,000. */
  requestTimeoutMs: number;
  /** Default timeout of a start, ms; default 60,000. */
  startTimeoutMs: number;
  /** Waiting time of each step when a server is stopped, ms; default 2,000. */
  stopGraceMs: number;
  /** Whether the built-in "workspace" server is shown; default true. */
  builtInServer: boolean;
  /** Whether the messages of all servers are recorded automatically; default `off`. */
  trace: TraceSetting;
  /** Whether a server that ended unexpectedly is restarted; default true. */
  restartOnCrash: boolean;
}

/** Provides the settings. */
export interface SettingsSource {
  current(): HostSettings;
  readonly onDidChange: Event<void>;
}
