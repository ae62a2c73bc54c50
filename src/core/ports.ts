/**
 * Everything the host needs from its surroundings. The VS Code adapters implement these; tests and headless programs
 * bring their own. A port asks or tells; it decides nothing.
 */
import type { AuthLock } from './auth/authLock.js';
import type { OpenBrowser } from './auth/authorizationFlow.js';
import type { AskClient } from './auth/personSignIn.js';
import type { RedirectReceiver } from './auth/redirectReceiver.js';
import type { AuthSecretStore } from './auth/tokenStore.js';
import type { Clock } from './base/clock.js';
import type { Disposable } from './base/disposable.js';
import type { Event } from './base/event.js';
import type { HostError } from './base/hostError.js';
import type { Remark } from './base/remark.js';
import type { Log } from './base/log.js';
import type { AutoStart } from './config/autoStart.js';
import type { ConfigSource, InputDefinition, SourcePosition } from './config/serverDefinition.js';
import type { Audit } from './consent/audit.js';
import type { CallConsent } from './consent/toolConsent.js';
import type { StartDescription } from './config/describeStart.js';
import type { DebugClient } from './debug/debugRun.js';
import type { CreateMessageRequest, CreateMessageResult, ElicitRequest, ElicitResult, LoggingLevel, Root } from './protocol/mcp.js';
import type { ServerEntry } from './registry/serverEntry.js';
import type { Transport } from './transport/transport.js';

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

export interface SettingsSource {
  current(): HostSettings;
  readonly onDidChange: Event<void>;
}

/** The raw texts of all configuration sources, and when they change. */
export interface ConfigurationSource {
  /** Every source there is now, each with its text (files) or value (settings). A file that does not exist is absent. */
  read(): Promise<ConfigurationText[]>;
  /** A source appeared, changed or vanished. */
  readonly onDidChange: Event<void>;
}

/**
 * `unreadable`: it exists and could not be read now; its last good servers stay. `size`: it was not read, because it has so
 * many bytes. `invalid`: where its bytes stop being UTF-8.
 */
export type ConfigurationText = { source: ConfigSource; text: string; invalid?: SourcePosition } | { source: ConfigSource; size: number } | { source: ConfigSource; value: unknown; /** The list that stands beside the servers in a file. */ inputs?: unknown } | { source: ConfigSource; unreadable: string };

/** Workspace trust and the question before a workspace's server first starts. */
export interface TrustPrompt {
  /** False in Restricted Mode: nothing starts or connects. */
  isWorkspaceTrusted(): boolean;
  readonly onDidGrantTrust: Event<void>;
  /** Shows exactly what would run and asks. `later` when nobody could be asked now. */
  confirmStart(entry: ServerEntry, description: StartDescription): Promise<'allow' | 'deny' | 'later'>;
}

/** Small per-workspace values; survives the window. */
export interface StateStore {
  get(key: string): unknown;
  set(key: string, value: unknown): Promise<void>;
}

/** The only place where secrets live. */
export interface SecretStore {
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string): Promise<void>;
  delete(key: string): Promise<void>;
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

/** Answers `sampling/createMessage` with the user's consent. Absent: the capability is not declared. */
export interface Sampler {
  /** @param session stands for the session that asks, by identity: a "not now" lasts as long as it. */
  createMessage(entry: ServerEntry, request: CreateMessageRequest, signal: AbortSignal, session: object): Promise<CreateMessageResult>;
}

/** Answers `elicitation/create`. Absent: the capability is not declared. */
export interface Elicitor {
  elicit(entry: ServerEntry, request: ElicitRequest, signal: AbortSignal): Promise<ElicitResult>;
  /** Waits until the user has finished on a page that was opened for a server, or gives up on it. Absent: nobody is asked. */
  untilVisited?(entry: ServerEntry, request: Extract<ElicitRequest, { mode: 'url' }>, signal: AbortSignal): Promise<'done' | 'given-up'>;
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

/** What a sign-in by OAuth asks of its surroundings. */
export interface SignInSurroundings {
  /** Keeps tokens and registrations. */
  secrets: AuthSecretStore;
  /** Lets one window at a time renew a token. */
  lock: AuthLock;
  openBrowser: OpenBrowser;
  receiver: RedirectReceiver;
  askClient: AskClient;
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
  /** Told of a failure that stopped nothing and that the user has to know of, such as a locked keyring. Absent: it is in the log only. */
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
  /** Extensions of the protocol that only these surroundings can serve, by id with their settings; declared to every server. Absent: none. */
  extensions?: Record<string, unknown>;
  /** Asked for once, before the first remote server is connected. Absent: servers get their configured headers and nothing else. */
  signIn?: () => Promise<SignInSurroundings>;
  /** Attaches debuggers to servers. Absent: none can be debugged. */
  debugger?: DebugClient;
  /** Opens the in-memory connection to the built-in server. Absent: there is none. */
  openBuiltInServer?: () => Transport;
  /** Name and version told to servers. */
  client: { name: string; title: string; version: string };
  clock?: Clock;
}
