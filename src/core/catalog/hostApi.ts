/**
 * What everyone above the core sees and may ask: snapshots of servers and the calls of the host. Kept apart from the host
 * itself, so that presenting and testing need no running one.
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

/** A server as everyone above sees it: one immutable snapshot per change. */
export interface ServerView {
  /** Unique and stable; what commands and the API take as `server`. */
  id: string;
  entry: ServerEntry;
  state: ConnectionState;
  /** The definition changed since this instance was started: restart to apply. */
  needsRestart: boolean;
  /** While running: since when it has not answered, epoch milliseconds; absent when nothing is wrong. */
  silentSince?: number;
  /** What of it is switched off; absent: nothing can be. */
  switches?: ServerSwitches;
  /** Of a remote server that asked for a sign-in. */
  auth?: ServerAuth;
  /** Present while running; stale copies are never shown. */
  offer?: ServerFeatures;
  /** Tools that are not what was approved of them: they do not run before the change was reviewed. */
  quarantined?: ReadonlySet<string>;
  /** While running: hash of the definition that this instance was started from; approvals of its tools belong to it. */
  startedAs?: string;
  /** The folders that the server sees: what is told it, and nothing else. */
  roots: readonly Root[];
  /** While it was started under a debugger. */
  debug?: { kind: DebugPlan['kind']; state: DebugState };
  /** Address or pid, for the tooltip. */
  endpoint?: { pid?: number; address?: string };
  /** Patterns of the files that are watched now: a change restarts it. */
  watched?: readonly string[];
  /** Last lines of stderr, newest last; already harmless. */
  stderr: readonly string[];
}

/** Where the sign-in to a server stands. */
export interface ServerAuth {
  state: Exclude<AuthState, { kind: 'open' }>;
  /** The host of the server's address. */
  host: string;
  /** False where tokens come without a person: there is nobody to sign in. */
  isPersonal: boolean;
}

/** What a server says while a call runs. */
export interface CallLogLine {
  /** Bounded, with hidden characters made visible. */
  text: string;
  level: LoggingLevel;
}

/** What changed: one server, or (without id) the list itself. */
export interface HostChange {
  server?: string;
}

export interface CallOptions {
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
  /** Log lines that the server sends while the call runs. */
  onLog?: (line: CallLogLine) => void;
  /** Told, after some seconds without an answer, what was noticed that may be the cause. The call goes on. */
  onRemark?: (remark: Remark) => void;
  /** Overrides the server's per-request time-out, milliseconds. */
  timeoutMs?: number;
  /** Extra `_meta` of the request, e.g. the W3C trace context (`traceparent`, `tracestate`, `baggage`). */
  meta?: Record<string, unknown>;
  /**
   * A person asked for this call and waits: when the server wants a sign-in, or more scopes, they are asked. Default
   * false: it rejects with `auth-required`.
   */
  interactive?: boolean;
  /** Receives what does not fit the tool's output schema; without it such a result is an error. */
  onOutputProblems?: (problems: string[]) => void;
}

/** Who wants a call of a tool decides what is asked before it: it has to be said. */
export interface ToolCallOptions extends CallOptions {
  caller: Caller;
  /** Told when the call waits for the user's approval. */
  onAsk?: () => void;
  /**
   * The caller has just asked the user about exactly this call, who said yes: what would ask does not ask again; what
   * denies, denies. `inAdvance`: the user allowed all calls of this tool to this caller, which stands in for no rule
   * that asks. Default false.
   */
  isAnswered?: boolean | 'inAdvance';
  /**
   * With the caller `script`: another extension, by the API. It is asked about only where a rule says so. Default
   * false.
   */
  isApi?: boolean;
  /**
   * With the caller `script`: somebody who may be the user waits for it, so a question is asked at once. Default
   * false: it waits among the requests.
   */
  isAtHand?: boolean;
}

/** The call of a tool. */
export interface ToolCall {
  server: string;
  tool: string;
  arguments?: Record<string, unknown>;
}

/** The reading of a resource. */
export interface ResourceRequest {
  server: string;
  uri: string;
  /** Asks the server even when it allowed to keep what it said last time. */
  isFresh?: boolean;
}

/** The rendering of a prompt. */
export interface PromptRequest {
  server: string;
  prompt: string;
  arguments?: Record<string, string>;
}

/** What is kept of a server that is secret, as it may be shown. */
export interface StoredOfServer {
  readonly inputs: readonly StoredInput[];
  /**
   * The address that accounts or registrations are stored for; absent when there are none, and where another
   * configured server has the same address.
   */
  readonly signedInTo?: string;
}

/** What values an argument of a prompt or a template may have. */
export interface CompletionRequest {
  server: string;
  reference: CompletionReference;
  argument: { name: string; value: string };
  context?: Record<string, string>;
}

/** A request that somebody wrote. */
export interface WrittenRequest {
  server: string;
  method: string;
  params?: Record<string, unknown>;
}

export interface HostApi {
  /** Fired after a snapshot was replaced; bursts are coalesced per loop turn. */
  readonly onDidChange: Event<HostChange>;
  /** Reads the configuration, then starts what should start. Resolves when the configuration is read. */
  open(): Promise<void>;
  servers(): readonly ServerView[];
  server(id: string): ServerView | undefined;
  brokenEntries(): readonly BrokenEntry[];
  /** Diagnostics per source, also of sources without problems (to clear them). */
  problems(): readonly { source: ConfigSource; problems: readonly ConfigProblem[] }[];

  /**
   * Starts a server and resolves when its lists are there.
   * @param interactive false: nobody is asked; a server that needs trust stays in `needsTrust` and this rejects with `not-trusted`,
   * one that needs a value in `needsInput` with `needs-input`,
   * one that needs a sign-in in `needsSignIn` with `auth-required`.
   */
  startServer(id: string, options?: { interactive?: boolean; signal?: AbortSignal }): Promise<void>;
  /** Runs the stop ladder; a second call forces. */
  stopServer(id: string): Promise<void>;
  /**
   * @param debug starts it under a debugger; without it a server that is being debugged is started under its debugger
   * again.
   */
  restartServer(id: string, options?: { interactive?: boolean; debug?: DebugPlan }): Promise<void>;
  /**
   * Asks a running server for its lists again; those that fail say so in its snapshot. Does nothing for one that is
   * not running.
   */
  listAgain(server: string): Promise<void>;
  setServerEnabled(id: string, isEnabled: boolean): Promise<void>;
  /** Forgets every answer to the trust question in this workspace. */
  resetTrust(): Promise<void>;

  /** What a start would use, for whoever looks why one fails. */
  inspect(server: string): Promise<Inspection>;

  /** Keeps the value of an input that the server's definition names, as if the user had just been asked for it. */
  keepInput(server: string, input: string, value: string): Promise<void>;
  /**
   * Asks the user for the value of an input anew and keeps it; counts from the next start. Rejects with `cancelled`
   * when they gave up.
   */
  askInput(server: string, input: string): Promise<void>;
  /**
   * Every value of an input that is stored, without the value: of servers that are configured, then of those that are
   * not any more.
   */
  storedInputs(): Promise<StoredInput[]>;
  /**
   * Takes a stored value to the input of another server, without a word of what it is. False: it is not there any
   * more.
   */
  carryInput(stored: StoredInput, server: string, input: string): Promise<boolean>;
  /** The next start that needs it asks for it. */
  forgetInput(stored: StoredInput): Promise<void>;
  /** What is stored of a server. Asks nobody. */
  storedOf(server: string): Promise<StoredOfServer>;
  /**
   * Forgets it, also when the server is not configured any more. Accounts are ended at their issuers first; an issuer
   * that does not answer does not keep us.
   */
  forgetStored(stored: StoredOfServer): Promise<void>;

  /** Values of passwords that a server was given, to be masked in everything that is kept of what it says. */
  secretValues(server: string): readonly string[];

  /** What has been counted of a server since the window opened. */
  figures(server: string): ServerFigures;

  /**
   * The tool with its schemas; starts the server when it is stopped. Rejects with `unknown-tool`, with `list-failed`
   * where the tools could not be listed.
   */
  findTool(server: string, tool: string): Promise<Tool>;
  /**
   * Rejects with `call-refused` where a rule or the user says no, with `tool-changed` where the tool is not what was
   * approved.
   */
  runTool(call: ToolCall, options: ToolCallOptions): Promise<CallToolResult>;
  readResource(request: ResourceRequest, options?: CallOptions): Promise<ReadResourceResult>;
  /**
   * The skill at the address of its `SKILL.md`, listed or not; reads no file. Rejects with `unknown-skill`, with
   * `unsupported` where the server has no skills. Its files are read by `readResource`, which rejects with
   * `verification-failed` where one is not what was listed.
   */
  findSkill(request: ResourceRequest, options?: CallOptions): Promise<SkillEntry>;
  getPrompt(request: PromptRequest, options?: CallOptions): Promise<GetPromptResult>;
  complete(request: CompletionRequest, signal?: AbortSignal): Promise<Completion>;

  /**
   * Tells of updates of one resource until disposed, across restarts of the server; starts the server when it is stopped.
   * Servers that cannot report updates never tell.
   */
  subscribe(request: { server: string; uri: string }, onDidUpdate: () => void): Promise<Disposable>;

  /** Sends a request that somebody wrote, as it is; never starts a server. A tool's call goes the way of `runTool`. */
  sendRequest(request: WrittenRequest, options?: CallOptions): Promise<unknown>;

  /**
   * Asks a running server for a sign of life, as its era does. Rejects like any request, and with HostError
   * `not-running`.
   */
  ping(server: string, timeoutMs: number): Promise<void>;

  /** Captures of what passes over the wire. */
  readonly traces: Traces;

  /** Sign-ins, accounts and client registrations. */
  readonly signIns: SignInApi;

  /** Stops every server in parallel; resolves when no process is left. Idempotent. */
  close(): Promise<void>;
}
