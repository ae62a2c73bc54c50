/**
 * What the API of the host gives and takes: snapshots of servers, and what is asked of them. Kept apart from the host
 * itself, so that presenting and testing need no running one.
 */
import type { AuthState } from '../auth/authorizationState.js';
import type { Remark } from '../base/remark.js';
import type { Caller } from '../consent/rule.js';
import type { ConnectionState } from '../connection/serverConnection.js';
import type { DebugPlan } from '../debug/debuggedStart.js';
import type { DebugState } from '../debug/debugRun.js';
import type { CompletionReference, LoggingLevel, Progress, Root } from '../protocol/mcp.js';
import type { ServerSwitches } from '../presets/toolSwitches.js';
import type { ServerEntry } from '../registry/serverEntry.js';
import type { StoredInput } from '../registry/storedInputs.js';
import type { ServerFeatures } from './serverFeatures.js';

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
