/**
 * Everything the host needs from the program that runs it. The VS Code adapters implement these ports; tests and
 * headless programs provide their own. A port may ask or notify the user, but makes no decisions. Ports that a lower
 * folder uses are declared in that folder.
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
import type { InputDefinition, MockDefinition } from '../config/serverDefinition.js';
import type { Audit } from '../consent/audit.js';
import type { CallConsent } from '../consent/callConsent.js';
import type { DebugClient } from '../debug/debugRun.js';
import type { ChangedBundle } from '../gallery/bundles/bundleStore.js';
import type { LoggingLevel, Root } from '../protocol/mcp.js';
import type { ServerEntry } from '../registry/serverEntry.js';
import type { Elicitor, Sampler } from '../requests/requestPorts.js';
import type { ServerPolicies } from '../registry/serverPolicy.js';
import type { Transport } from '../transport/transport.js';

/** Workspace trust, and the approval of starts. */
export interface TrustPrompt {
  /** False in Restricted Mode: nothing starts or connects. */
  isWorkspaceTrusted(): boolean;
  readonly onDidGrantTrust: Event<void>;
  /**
   * Shows the user exactly what would run, and asks for approval. Resolves to `later` if the user cannot be asked now.
   */
  confirmStart(entry: ServerEntry, description: StartDescription): Promise<'allow' | 'deny' | 'later'>;
}

/** Notifies the user that a start they requested is not finishing, with the cause if it is known. */
export interface StartNotices {
  /**
   * Shows why the start is waiting. Must not take the focus or block. `stop` ends the start; any other answer lets the
   * start continue.
   * @param signal aborted when the start has ended; later answers are ignored.
   */
  tell(entry: ServerEntry, remark: Remark, signal: AbortSignal): Promise<'stop' | 'keep' | undefined>;
}

/** Asks for the value of an `${input:…}`. */
export interface InputPrompt {
  /** Asks the user. Resolves to undefined when they cancel. */
  ask(input: InputDefinition, serverName: string): Promise<string | undefined>;
}

/** Provides workspace folders as roots. */
export interface RootsSource {
  /** Returns the open folders with the scheme `file`, or the folders that the user chose for this server. */
  roots(entry: ServerEntry): Root[];
  readonly onDidChange: Event<void>;
}

/** The log channel of one server. */
export interface ServerLog extends Log {
  /**
   * The log level that the user chose for the channel; it is sent to the server with `logging/setLevel`. Undefined if
   * logging is off.
   */
  level(): LoggingLevel | undefined;
  readonly onDidChangeLevel: Event<void>;
}

/** Changes of workspace files. */
export interface FileChanges {
  /**
   * Calls `onDidChange` for each file below `folder` that is created, changed or deleted, until disposed. The path is
   * relative to `folder`, with `/`.
   * @param folder absolute.
   * @param patterns globs relative to `folder`; a leading `!` excludes files.
   */
  watch(folder: string, patterns: readonly string[], onDidChange: (file: string) => void): Disposable;
}

/** The unpacked bundles (MCPB). `core/gallery/bundles/bundleStore.ts` implements it. */
export interface BundleChecks {
  /** The folders of bundles that a definition with these texts uses. */
  foldersIn(texts: readonly string[]): string[];
  /** The bundles among these folders whose files changed since they were unpacked. */
  changed(folders: readonly string[]): Promise<readonly ChangedBundle[]>;
}

/** The environment and folders of this machine. */
export interface MachineInfo {
  /** Environment of the host process. */
  env: Record<string, string | undefined>;
  platform: NodeJS.Platform;
  userHome: string;
  /** The folder of process records. If it is absent, processes are not recorded. */
  recordsFolder?: string;
  /** Reads a file that `envFile`, `caFile` or `oauth` of a definition specifies, as text. */
  readFile(path: string): Promise<string>;
  /** Open workspace folders, in order. */
  folders(): { name: string; path: string }[];
  /** A setting by full key, for `${config:…}`. */
  getSetting(key: string): unknown;
  /**
   * Whether the workspace sets a setting. The value is then untrusted, because it may come from a downloaded
   * repository.
   */
  isSetByWorkspace(key: string): boolean;
}

/** All ports together. */
export interface HostPorts {
  log: Log;
  serverLog(entry: ServerEntry): ServerLog;
  settings: SettingsSource;
  configuration: ConfigurationSource;
  trust: TrustPrompt;
  /** The rules about the servers that may run. If it is absent, every server may run. */
  policies?: ServerPolicies;
  state: StateStore;
  secrets: SecretStore;
  inputs: InputPrompt;
  /**
   * Shows the user a failure that did not stop any server but needs attention, such as a locked keyring. If it is
   * absent, the failure is only logged.
   */
  tell?: (failure: HostError) => void;
  /** If it is absent, only the state of the server shows that its start is not finishing. */
  startNotices?: StartNotices;
  /** The consent that is requested before each tool call. */
  consent: CallConsent;
  /** Records decisions of the user. If it is absent, nothing is recorded. */
  audit?: Audit;
  roots: RootsSource;
  machine: MachineInfo;
  /** If it is absent, the files of bundles are not checked before a start. */
  bundles?: BundleChecks;
  /** If it is absent, files are not watched. */
  fileChanges?: FileChanges;
  sampler?: Sampler;
  elicitor?: Elicitor;
  /**
   * The settings of the protocol extensions that only this environment supports, by the ID of the extension. They are
   * declared to every server. Default none.
   */
  extensions?: Record<string, unknown>;
  /**
   * Called when sign-ins are first needed, for example by a connection to a remote server, and again only after it
   * rejected. If it is absent, servers get only their configured headers.
   */
  signIn?: () => Promise<SignInPorts>;
  /** Attaches debuggers to servers. If it is absent, no server can be debugged. */
  debugger?: DebugClient;
  /** Opens the in-memory connection to the built-in server. If it is absent, there is no built-in server. */
  openBuiltInServer?: () => Transport;
  /**
   * Reads the recording of a mock, and returns a function that opens connections to the mock. Rejects with HostError
   * `bad-configuration` or `storage-failed`. If it is absent, there are no mocks.
   */
  openMock?: (mock: MockDefinition) => Promise<() => Transport>;
  /** Name, title and version that the client sends to servers. */
  client: { name: string; title: string; version: string };
  clock?: Clock;
}
