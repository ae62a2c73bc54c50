import type { Event } from '../base/event.js';
import type { AutoStart } from './autoStart.js';

/** Whether servers are captured without being asked for. */
export type TraceSetting = 'off' | 'on';

/** A frozen reading of the settings that the host itself uses. */
export interface HostSettings {
  autoStart: AutoStart;
  /** Largest single message in bytes; default 64 MiB. */
  maxMessageBytes: number;
  /** Default per-request time-out in milliseconds; default 60,000. */
  requestTimeoutMs: number;
  /** Default handshake time-out in milliseconds; default 60,000. */
  startTimeoutMs: number;
  /** Wait of each step of the stop ladder in milliseconds; default 2,000. */
  stopGraceMs: number;
  /** Show the built-in "workspace" server; default true. */
  builtInServer: boolean;
  /** Capture what passes over the wire of every server; default off. */
  trace: TraceSetting;
  /** Restart a server that ended by itself; default true. */
  restartOnCrash: boolean;
}

/** Where the settings come from. */
export interface SettingsSource {
  current(): HostSettings;
  readonly onDidChange: Event<void>;
}
