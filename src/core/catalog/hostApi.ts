/**
 * The interface between core and everything above it: snapshots of servers, and the calls of the host. Separate from
 * the host, so that presentation code and its tests do not need a running host.
 */
import type { AuthState } from '../auth/authorizationState.js';
import type { Disposable } from '../base/disposable.js';
import type { Event } from '../base/event.js';
import type { Remark } from '../base/remark.js';
import type { Caller } from '../consent/rule.js';
import type { ConfigProblem, ConfigSource } from '../config/serverDefinition.js';
import type { ConnectionState } from '../connection/serverConnection.js';
import type { DebugPlan } from '../debug/debuggedStart.js';
import type { DebugState } from '../debug/debugRun.js';
import type {
  CallToolResult,
  Completion,
  CompletionReference,
  GetPromptResult,
  LoggingLevel,
  Progress,
  ReadResourceResult,
  Root,
  Tool,
} from '../protocol/mcp.js';
import type { ServerSwitches } from '../presets/toolSwitches.js';
import type { BrokenEntry, ServerEntry } from '../registry/serverEntry.js';
import type { StoredInput } from '../registry/storedInputs.js';
import type { Inspection } from './inspection.js';
import type { SkillEntry } from '../skills/skillEntry.js';
import type { ServerFeatures } from './serverFeatures.js';
import type { ServerFigures } from '../stats/serverStats.js';
import type { Traces } from '../trace/traces.js';
import type { SignInApi } from './signInApi.js';

/** A server as all code above core sees it: one immutable snapshot per change. */
export interface ServerView {
  /** Unique and stable; the `server` argument of commands and the API. */
  id: string;
  entry: ServerEntry;
  state: ConnectionState;
  /** The definition changed after this instance was started; a restart applies the change. */
  needsRestart: boolean;
  /** While running: when the server stopped answering, in epoch milliseconds; absent when it answers. */
  silentSince?: number;
  /** Which parts of the server are switched off; absent: nothing can be switched off. */
  switches?: ServerSwitches;
  /** The sign-in state of a remote server that requested one. */
  auth?: ServerAuth;
  /** Present only while the server is running. */
  offer?: ServerFeatures;
  /** Tools that differ from what the user approved. They do not run until the change is reviewed. */
  quarantined?: ReadonlySet<string>;
  /**
   * While running: the hash of the definition that this instance was started from. Approvals of its tools are bound to
   * this hash.
   */
  startedAs?: string;
  /** The folders that the server receives as roots. */
  roots: readonly Root[];
  /** Present while the server runs under a debugger. */
  debug?: { kind: DebugPlan['kind']; state: DebugState };
  /** Address or process ID, for the tooltip. */
  endpoint?: { pid?: number; address?: string };
  /** Patterns of the files that are watched now; a change restarts the server. */
  watched?: readonly string[];
  /** The last lines of stderr, newest last, with hidden characters made visible. */
  stderr: readonly string[];
}

/** The state of the sign-in to a server. */
export interface ServerAuth {
  state: Exclude<AuthState, { kind: 'open' }>;
  /** The host of the server's URL. */
  host: string;
  /** False when the server uses tokens that do not belong to a user, so that no user can sign in. */
  isPersonal: boolean;
}

/** A log message of the server during a call. */
export interface CallLogLine {
  /** Bounded, with hidden characters made visible. */
  text: string;
  level: LoggingLevel;
}

/** What changed: one server, or (without an ID) the list itself. */
export interface HostChange {
  server?: string;
}

export interface CallOptions {
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
  /** Receives log messages that the server sends during the call. */
  onLog?: (line: CallLogLine) => void;
  /** Receives a possible cause of the delay after some seconds without an answer. The call continues. */
  onRemark?: (remark: Remark) => void;
  /** Overrides the server's timeout for requests, in milliseconds. */
  timeoutMs?: number;
  /** Additional `_meta` of the request, e.g. the W3C trace context (`traceparent`, `tracestate`, `baggage`). */
  meta?: Record<string, unknown>;
  /**
   * The user started this call and waits for it, so they are asked when the server requires a sign-in or more scopes.
   * Default false: the call rejects with `auth-required`.
   */
  interactive?: boolean;
  /**
   * Receives the parts of the result that do not match the tool's output schema. Without it, such a result is an error.
   */
  onOutputProblems?: (problems: string[]) => void;
}

/** Every call of a tool must name its caller, because the caller determines whether the user is asked. */
export interface ToolCallOptions extends CallOptions {
  caller: Caller;
  /** Called when the call waits for the user's approval. */
  onAsk?: () => void;
  /**
   * The caller has just asked the user about exactly this call, and the user agreed: a rule that asks does not ask
   * again; a rule that denies still denies. `inAdvance`: the user allowed all calls of this tool to this caller; a rule
   * that asks still asks. Default false.
   */
  isAnswered?: boolean | 'inAdvance';
  /**
   * With the caller `script`: the call comes from another extension through the API. The user is asked only when a rule
   * requires it. Default false.
   */
  isApi?: boolean;
  /**
   * With the caller `script`: the user may be waiting for the call, so a question is shown at once. Default false: the
   * question waits in the list of requests.
   */
  isAtHand?: boolean;
}

/** A call of a tool. */
export interface ToolCall {
  server: string;
  tool: string;
  arguments?: Record<string, unknown>;
}

/** A request to read a resource. */
export interface ResourceRequest {
  server: string;
  uri: string;
  /** Asks the server even when a cached answer is still valid. */
  isFresh?: boolean;
}

/** A request to render a prompt. */
export interface PromptRequest {
  server: string;
  prompt: string;
  arguments?: Record<string, string>;
}

/** The secrets that are stored for a server, as far as they may be shown. */
export interface StoredOfServer {
  readonly inputs: readonly StoredInput[];
  /**
   * The URL that accounts or registrations are stored for; absent when there are none, or when another configured
   * server has the same URL.
   */
  readonly signedInTo?: string;
}

/** A request for the values of an argument of a prompt or a template. */
export interface CompletionRequest {
  server: string;
  reference: CompletionReference;
  argument: { name: string; value: string };
  context?: Record<string, string>;
}

/** A request that the user wrote. */
export interface WrittenRequest {
  server: string;
  method: string;
  params?: Record<string, unknown>;
}

export interface HostApi {
  /** Fired after a snapshot was replaced; changes in one turn of the event loop are combined. */
  readonly onDidChange: Event<HostChange>;
  /**
   * Reads the configuration, then starts the servers that start automatically. Resolves when the configuration is read.
   */
  open(): Promise<void>;
  servers(): readonly ServerView[];
  server(id: string): ServerView | undefined;
  brokenEntries(): readonly BrokenEntry[];
  /** Diagnostics per source, including sources without problems (to clear earlier diagnostics). */
  problems(): readonly { source: ConfigSource; problems: readonly ConfigProblem[] }[];

  /**
   * Starts a server and resolves when its lists are loaded.
   * @param interactive false: the user is not asked. A server that needs trust stays in `needsTrust` and this rejects
   * with `not-trusted`, one that needs a value stays in `needsInput` and rejects with `needs-input`, one that needs a
   * sign-in stays in `needsSignIn` and rejects with `auth-required`.
   */
  startServer(id: string, options?: { interactive?: boolean; signal?: AbortSignal }): Promise<void>;
  /** Stops a server in steps, from a request to end up to a kill. A second call kills it at once. */
  stopServer(id: string): Promise<void>;
  /**
   * @param debug starts it under a debugger. Without it, a server that is being debugged is restarted under its
   * debugger.
   */
  restartServer(id: string, options?: { interactive?: boolean; debug?: DebugPlan }): Promise<void>;
  /**
   * Loads the lists of a running server again; a list that fails has its reason in the snapshot. Does nothing when the
   * server is not running.
   */
  listAgain(server: string): Promise<void>;
  setServerEnabled(id: string, isEnabled: boolean): Promise<void>;
  /** Deletes every answer to the trust question in this workspace. */
  resetTrust(): Promise<void>;

  /** What a start would use, to diagnose why one fails. */
  inspect(server: string): Promise<Inspection>;

  /** Stores the value of an input of the server's definition, as if the user had just entered it. */
  keepInput(server: string, input: string, value: string): Promise<void>;
  /**
   * Asks the user for a new value of an input and stores it; the next start uses it. Rejects with `cancelled` when the
   * user canceled.
   */
  askInput(server: string, input: string): Promise<void>;
  /**
   * Every stored value of an input, without the value itself: first of configured servers, then of servers that are no
   * longer configured.
   */
  storedInputs(): Promise<StoredInput[]>;
  /** Copies a stored value to the input of another server without revealing it. False: the value no longer exists. */
  carryInput(stored: StoredInput, server: string, input: string): Promise<boolean>;
  /** Deletes a stored value; the next start that needs it asks for it. */
  forgetInput(stored: StoredInput): Promise<void>;
  /** What is stored for a server. Does not ask the user. */
  storedOf(server: string): Promise<StoredOfServer>;
  /**
   * Deletes what is stored for a server, even if it is no longer configured. Accounts are signed out at their issuers
   * first; an issuer that does not answer does not prevent the deletion.
   */
  forgetStored(stored: StoredOfServer): Promise<void>;

  /** Passwords that a server was given, to be masked in everything that is stored of its output. */
  secretValues(server: string): readonly string[];

  /** Figures about a server since the window opened. */
  figures(server: string): ServerFigures;

  /**
   * The tool with its schemas; starts a stopped server. Rejects with `unknown-tool`, or with `list-failed` when the
   * tools could not be listed.
   */
  findTool(server: string, tool: string): Promise<Tool>;
  /**
   * Rejects with `call-refused` when a rule or the user denies the call, with `tool-changed` when the tool differs from
   * what was approved.
   */
  runTool(call: ToolCall, options: ToolCallOptions): Promise<CallToolResult>;
  readResource(request: ResourceRequest, options?: CallOptions): Promise<ReadResourceResult>;
  /**
   * The skill whose `SKILL.md` has this URI, listed or not; reads no file. Rejects with `unknown-skill`, or with
   * `unsupported` when the server has no skills. `readResource` reads its files and rejects with `verification-failed`
   * when a file differs from its listing.
   */
  findSkill(request: ResourceRequest, options?: CallOptions): Promise<SkillEntry>;
  getPrompt(request: PromptRequest, options?: CallOptions): Promise<GetPromptResult>;
  complete(request: CompletionRequest, signal?: AbortSignal): Promise<Completion>;

  /**
   * Reports updates of one resource until disposed, across restarts of the server; starts a stopped server. Never
   * reports when the server does not support updates.
   */
  subscribe(request: { server: string; uri: string }, onDidUpdate: () => void): Promise<Disposable>;

  /** Sends a request that the user wrote, unchanged; never starts a server. A tool call is handled by `runTool`. */
  sendRequest(request: WrittenRequest, options?: CallOptions): Promise<unknown>;

  /**
   * Sends a ping to a running server, in the way of its era. Rejects like any request, and with HostError
   * `not-running`.
   */
  ping(server: string, timeoutMs: number): Promise<void>;

  /** Traces of the messages of all servers. */
  readonly traces: Traces;

  /** Sign-ins, accounts and client registrations. */
  readonly signIns: SignInApi;

  /** Stops every server in parallel; resolves when no process is left. Idempotent. */
  close(): Promise<void>;
}
