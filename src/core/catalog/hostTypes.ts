/**
 * The types of the interface between core and all higher layers: snapshots of servers, and requests to servers. They
 * are separate from the host, so that presentation code and its tests do not need a running host.
 */
import type { CallSignal } from '../base/lightAbort.js';
import type { AuthState } from '../auth/authorizationState.js';
import type { Remark } from '../base/remark.js';
import type { Caller, WayOfStart } from '../consent/rule.js';
import type { ConnectionState } from '../connection/serverConnection.js';
import type { DebugPlan } from '../debug/debuggedStart.js';
import type { DebugState } from '../debug/debugRun.js';
import type { CompletionReference, LoggingLevel, Progress, Root } from '../protocol/mcp.js';
import type { ServerSwitches } from '../presets/toolSwitches.js';
import type { ServerEntry } from '../registry/serverEntry.js';
import type { Blocked } from '../registry/serverPolicy.js';
import type { CallOrigin } from '../session/callOrigins.js';
import type { StoredInput } from '../registry/storedInputs.js';
import type { ServerFeatures } from './serverFeatures.js';

/** An immutable snapshot of a server for all code above core. Each change creates a new snapshot. */
export interface ServerView {
  /** Unique and stable; the `server` argument of commands and the API. */
  id: string;
  entry: ServerEntry;
  state: ConnectionState;
  /** Whether the definition has changed since this instance was started; a restart applies the change. */
  needsRestart: boolean;
  /** True if the definition has changed since the last start failed. Absent after the next start. */
  isChanged?: true;
  /** The time when the running server stopped answering, in epoch milliseconds; absent while it answers. */
  silentSince?: number;
  /** Present if a policy does not allow the server. It does not start, and agents do not see it. */
  blocked?: Blocked;
  /** Which parts of the server are switched off. Absent if nothing can be switched off. */
  switches?: ServerSwitches;
  /** The sign-in state of a remote server that requested one. */
  auth?: ServerAuth;
  /** The features of the server; present only while it is running. */
  features?: ServerFeatures;
  /** Tools that differ from what the user approved. They do not run until the change is reviewed. */
  quarantined?: ReadonlySet<string>;
  /**
   * The hash of the definition of the running instance; absent while the server is not running. Approvals of tools are
   * bound to this hash.
   */
  startedAs?: string;
  /** The folders that the server receives as roots. */
  roots: readonly Root[];
  /** Present while the server runs under a debugger. */
  debug?: { kind: DebugPlan['kind']; state: DebugState };
  /** True while a recording of the messages of the server is running. */
  isRecorded?: true;
  /** Address or process ID, for the tooltip. */
  endpoint?: { pid?: number; address?: string };
  /** Patterns of the files that are being watched; a change restarts the server. */
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
  /** The text, limited in length, with hidden characters made visible. */
  text: string;
  level: LoggingLevel;
}

/** A change of one server, or of the list of servers if `server` is absent. */
export interface HostChange {
  server?: string;
}

export interface CallOptions {
  signal?: CallSignal;
  /** The client of the gateway that answers the server's requests during this call. Default: the user answers. */
  origin?: CallOrigin;
  onProgress?: (progress: Progress) => void;
  /** Receives log messages that the server sends during the call. */
  onLog?: (line: CallLogLine) => void;
  /** Receives a possible cause of the delay after a few seconds without an answer. The call continues. */
  onRemark?: (remark: Remark) => void;
  /** Overrides the server's timeout for requests, in milliseconds. */
  timeoutMs?: number;
  /** Additional `_meta` of the request, e.g. the W3C trace context (`traceparent`, `tracestate`, `baggage`). */
  meta?: Record<string, unknown>;
  /**
   * True if the user started this call and waits for it. They are then asked if the server requires a sign-in or more
   * scopes. Default false: the call then rejects with `auth-required`.
   */
  interactive?: boolean;
  /**
   * True if the user does not wait for this call. Its server is then started without asking, and is not started if
   * the user stopped it. Default false.
   */
  isUnattended?: boolean;
  /**
   * Receives the parts of the result that do not match the tool's output schema. If it is absent, such a result is an
   * error.
   */
  onOutputProblems?: (problems: string[]) => void;
}

/** Every call of a tool must specify its caller, because the caller determines whether the user is asked. */
export interface ToolCallOptions extends CallOptions {
  caller: Caller;
  /** For the caller `agent`: the name of the client. */
  client?: string;
  /** Called with true when the call begins to wait for the user's approval, and with false when that ends. */
  onAsk?: (isWaiting: boolean) => void;
  /**
   * `true`: the caller has just asked the user about exactly this call, and the user agreed. A rule that asks does not
   * ask again, but a rule that denies still denies. `inAdvance`: the user allowed this caller all calls of this tool. A
   * rule that asks still asks. Default false.
   */
  isAnswered?: boolean | 'inAdvance';
  /**
   * For the caller `script`: whether the call comes from another extension through the API. If so, the user is asked
   * only when a rule requires it. Default false.
   */
  isApi?: boolean;
  /**
   * For the caller `script`: how the user may have started the call. A question to them is then shown at once. Default:
   * none, so the question waits in the list of requests.
   */
  asksAtOnce?: WayOfStart | undefined;
}

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

/** The inputs, accounts and registrations that are stored for a server, without their values. */
export interface StoredOfServer {
  readonly inputs: readonly StoredInput[];
  /**
   * The URL that accounts or registrations are stored for; absent if nothing is stored, or if another configured server
   * has the same URL.
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
