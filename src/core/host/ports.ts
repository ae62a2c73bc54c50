/**
 * Everything the host needs from the program that runs it. The VS Code adapters implement these; tests and headless
 * programs bring their own. A port asks or tells; it decides nothing. Ports that a lower folder uses are declared there.
 */
import type { SignInPorts } from '../auth/signInPorts.js';
import type { Clock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import type { Event } from '../base/event.js';
import type { HostError } from '../base/hostError.js';
import type { Log } from '../base/log.js';
import type { Remark } from '../base/remark.js';
import type { SecretStore, StateStore } from '../base/stores.js';
import type { ConfigurationSource } from '../config/configurationSource.js';
import type { StartDescription } from '../config/describeStart.js';
import type { SettingsSource } from '../config/hostSettings.js';
import type { InputDefinition } from '../config/serverDefinition.js';
import type { Audit } from '../consent/audit.js';
import type { CallConsent } from '../consent/toolConsent.js';
import type { DebugClient } from '../debug/debugRun.js';
import type { LoggingLevel, Root } from '../protocol/mcp.js';
import type { ServerEntry } from '../registry/serverEntry.js';
import type { Elicitor, Sampler } from '../requests/requestPorts.js';
import type { Transport } from '../transport/transport.js';

/** Workspace trust and the question before a workspace's server first starts. */
export interface TrustPrompt {
  /** False in Restricted Mode: nothing starts or connects. */
  isWorkspaceTrusted(): boolean;
  readonly onDidGrantTrust: Event<void>;
  /** Shows exactly what would run and asks. `later` when nobody could be asked now. */
  confirmStart(entry: ServerEntry, description: StartDescription): Promise<'allow' | 'deny' | 'later'>;
}

/** Tells the user that a start which they wanted does not come to an end, and why as far as it shows. */
export interface StartNotices {
  /**
   * Must not take the focus or block. `stop`: the user ends the start; anything else lets it go on.
   * @param signal aborted when the start has ended: an answer counts no more.
   */
  tell(entry: ServerEntry, remark: Remark, signal: AbortSignal): Promise<'stop' | 'keep' | undefined>;
}

/** Asks for the value of an `${input:…}`. */
export interface InputPrompt {
  /** Undefined when the user gave up. */
  ask(input: InputDefinition, serverName: string): Promise<string | undefined>;
}

/** Workspace folders as roots. */
export interface RootsSource {
  /** `file://` folders only. `entry` lets a folder's server see that folder only. */
  roots(entry: ServerEntry): Root[];
  readonly onDidChange: Event<void>;
}

/** The log channel of one server. */
export interface ServerLog extends Log {
  /** The level that the user chose for the channel; goes to the server as `logging/setLevel`. Undefined: off. */
  level(): LoggingLevel | undefined;
  readonly onDidChangeLevel: Event<void>;
}

/** Files of the workspace, as they change. */
export interface FileChanges {
  /**
   * Tells of each file below `folder` that is made, changed or deleted until disposed, by its path from there with `/`.
   * @param folder absolute.
   * @param patterns globs from there; `!` in front of one leaves files out.
   */
  watch(folder: string, patterns: readonly string[], onDidChange: (file: string) => void): Disposable;
}

/** The machine: environment and folders. */
export interface MachineInfo {
  /** Environment of the host process. */
  env: Record<string, string | undefined>;
  platform: NodeJS.Platform;
  userHome: string;
  /** Where process records live; absent: nothing is recorded. */
  recordsFolder?: string;
  /** Reads a file as text, for `envFile` and `caFile`. */
  readFile(path: string): Promise<string>;
  /** Open workspace folders, in order. */
  folders(): { name: string; path: string }[];
  /** A setting by full key, for `${config:…}`. */
  getSetting(key: string): unknown;
  /** Whether the workspace gives that setting its value: a repository can bring that along. */
  isSetByWorkspace(key: string): boolean;
}

/** All ports together. */
export interface HostPorts {
  log: Log;
  serverLog(entry: ServerEntry): ServerLog;
  settings: SettingsSource;
  configuration: ConfigurationSource;
  trust: TrustPrompt;
  state: StateStore;
  secrets: SecretStore;
  inputs: InputPrompt;
  /**
   * Told of a failure that stopped nothing and that the user has to know of, such as a locked keyring. Absent: it is
   * in the log only.
   */
  tell?: (failure: HostError) => void;
  /** Absent: a start that does not come to an end shows in the state of its server only. */
  startNotices?: StartNotices;
  /** Asked before each call of a tool. */
  consent: CallConsent;
  /** Told what people decided. Absent: nothing is kept. */
  audit?: Audit;
  roots: RootsSource;
  machine: MachineInfo;
  /** Absent: files are not watched. */
  fileChanges?: FileChanges;
  sampler?: Sampler;
  elicitor?: Elicitor;
  /**
   * Extensions of the protocol that only these surroundings can serve, by id with their settings; declared to every
   * server. Absent: none.
   */
  extensions?: Record<string, unknown>;
  /**
   * Asked for once, before the first remote server is connected. Absent: servers get their configured headers and
   * nothing else.
   */
  signIn?: () => Promise<SignInPorts>;
  /** Attaches debuggers to servers. Absent: none can be debugged. */
  debugger?: DebugClient;
  /** Opens the in-memory connection to the built-in server. Absent: there is none. */
  openBuiltInServer?: () => Transport;
  /** Name and version told to servers. */
  client: { name: string; title: string; version: string };
  clock?: Clock;
}
