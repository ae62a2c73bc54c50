import type {
  BadContent,
  CallRefusedBy,
  ClosedWhy,
  ConfigurationProblem,
  HandshakeField,
  HttpStatusWhy,
  MessageProblem,
  NoValueWhy,
  NotRunningWhy,
  PolicyOwner,
  PolicyReason,
  RegistryProblem,
  SendFailedWhy,
  SkillFileProblem,
  SpawnFailedWhy,
  TimeoutWhy,
  ToolChange,
  UnreachableWhy,
  UnsupportedWhy,
  ValuePlace,
} from './failureKinds.js';
import type { CrashReport } from './crashReport.js';
import type { Remark } from './remark.js';

/** A missing file that the arguments of a process name. */
export interface MissingScript {
  /** Absolute path. */
  file: string;
  /** The argument and the working directory, if the argument is a relative path. */
  argument?: string;
  cwd?: string;
  /** An existing file whose name differs from the missing one only in case or extension. */
  near?: string;
}

/** The reason that a file, a disk or a keyring could not be read or written. */
export type StorageCause =
  | 'missing'
  | 'folder-missing'
  | 'is-folder'
  | 'not-folder'
  | 'not-permitted'
  | 'read-only'
  | 'full'
  | 'busy'
  | 'exists'
  | 'too-many-files'
  | 'too-large'
  | 'name-too-long'
  | 'silent'
  | 'aborted'
  /** The settings of the remote machine contain this setting, and VS Code would change it there instead. */
  | 'remote-value'
  | 'other';

/** The operation that failed. */
export type StorageOperation = 'read' | 'write' | 'remove';

/** Data that a failure of any code may contain. The host adds it. */
export interface CommonErrorData {
  /** The name of the server in MCP Deck. */
  server?: string;
  /** The message is already translated and contains the name of the server, so the name is not added. */
  isComplete?: boolean;
  /** A value that the user entered may be the cause. */
  usesInputs?: boolean;
  /** An observation about the server during the wait for a start or a call. */
  remark?: Remark;
  /** A restart failed before the server was stopped, so the server still runs with its old definition. */
  isStillRunning?: boolean;
}

/** The kinds of sign-in failures. Their sentences are in `core/present/failure`. */
export type AuthProblem =
  | 'sign-in-needed'
  | 'more-scopes-needed'
  | 'header-refused'
  | 'no-sign-in'
  | 'no-metadata'
  | 'bad-metadata'
  | 'resource-mismatch'
  | 'issuer-mismatch'
  | 'no-pkce'
  | 'unsafe-url'
  | 'registration-refused'
  | 'client-id-needed'
  | 'client-moved'
  | 'answer-refused'
  | 'sign-in-refused'
  | 'no-answer'
  | 'no-receiver'
  | 'unusable-redirect'
  | 'unreachable'
  | 'token-refused'
  | 'token-not-accepted'
  | 'scope-not-granted'
  | 'bad-key';

interface AuthErrorData extends CommonErrorData {
  problem?: AuthProblem;
  issuer?: string;
  /** The OAuth error code. */
  error?: string;
  scopes?: readonly string[];
  /** The URL that the problem is about. */
  url?: string;
  /** A precise description of the problem, in English. */
  detail?: string;
  /** The server's own message about the refusal, and the name of the header for an API key. */
  said?: string;
  keyHeader?: string;
  /** The configured header with the API key that the server refused. */
  sentHeader?: string;
}

/** Details of a failed connection. */
interface ConnectionErrorData extends CommonErrorData {
  /** The address, without parts that may be secret. */
  place?: string;
  /** The HTTP request that failed: an MCP method, or a name such as `the request for an event stream`. */
  request?: string;
  /** The reason that the library or the server gave. */
  detail?: string;
}

/** The details of a HostError, by its code. */
export interface HostErrorData {
  /**
   * The caller canceled; never shown. `isUnanswered`: the user closed the question about a call, so the call was not
   * sent.
   */
  cancelled: CommonErrorData & { isUnanswered?: true };
  /** No response arrived in time. */
  timeout: ConnectionErrorData & {
    why?: TimeoutWhy;
    waitedMs?: number;
    method?: string;
    /** The process wrote nothing to its standard output. It may expect a different framing. */
    wroteNothing?: boolean;
  };
  /** The connection ended before the request got a response. */
  closed: ConnectionErrorData & {
    why?: ClosedWhy;
    /** MCP Deck ended the connection. */
    by?: 'host';
    reason?: string;
    /** Whether the call was sent before the user or a policy ended the server. */
    wasSent?: boolean;
    /** The close code of a WebSocket. */
    code?: number;
    waitedMs?: number;
    /** The request that got no response. */
    method?: string;
  };
  /** The server is not running and was not asked to start. */
  'not-running': CommonErrorData & {
    why: NotRunningWhy;
  };
  /** The definition was not approved, or the workspace is not trusted. */
  'not-trusted': CommonErrorData & {
    /** The source of the definition that was not approved. */
    source?: string;
    /** The workspace is not trusted. */
    isWorkspace?: boolean;
  };
  /** A policy does not allow the server. */
  blocked: CommonErrorData & {
    by: PolicyOwner;
    /** The setting that contains the rule. */
    setting: string;
    why: PolicyReason;
    /** The entry of a list of denied servers, as JSON. */
    entry?: string;
  };
  /** A value that the definition asks for is missing, and the user cannot be asked for it now. */
  'needs-input': CommonErrorData & { input: string };
  /** A rule or the user denied this call. */
  'call-refused': CommonErrorData & { tool: string; by: CallRefusedBy; rule?: string };
  /** The tool differs from the tool that was approved and must be reviewed first. */
  'tool-changed': CommonErrorData & { tool: string; why: ToolChange };
  /** The process could not be started. */
  'spawn-failed': CommonErrorData & {
    command: string;
    errno?: string;
    why?: SpawnFailedWhy;
    /** The resolved working directory of the process. */
    cwd?: string;
    /** The interpreter that the first line of the script specifies. */
    interpreter?: string;
    /** The folders that were searched for the command. */
    folders?: readonly string[];
  };
  /** The process ended. */
  exited: CommonErrorData & {
    code?: number | null;
    signal?: string | null;
    /** The last lines of its error output. */
    stderr?: readonly string[];
    /** The cause of the end, according to the whole error output. */
    report?: CrashReport;
    /** The file in the arguments that does not exist, if the error output mentions it. */
    missing?: MissingScript;
    /** Whether the process wrote any output. */
    wrote?: boolean;
    /** `start`: the process ended before the handshake was complete. */
    phase?: 'start' | 'running';
    /** How often the process ended within `minutes`. Present if it is no longer restarted because it ended so often. */
    crashes?: number;
    minutes?: number;
  };
  /** The server asked for input during a request, and MCP Deck refused. */
  'input-refused': CommonErrorData & {
    method: string;
    reason: string;
    /** MCP Deck does not support this method. */
    isUnknown?: boolean;
  };
  /** `initialize` or `server/discover` returned nothing usable. */
  'handshake-failed': CommonErrorData & { code?: number; theirs?: unknown; method?: string; field?: HandshakeField };
  /** The server and MCP Deck have no protocol revision in common. */
  'unsupported-version': CommonErrorData & {
    theirs: unknown;
    ours: readonly string[];
    /** The revision that was offered in the handshake. */
    offered?: string;
  };
  /** A message from the server is not valid MCP. */
  'invalid-message': ConnectionErrorData & {
    method?: string;
    problem?: MessageProblem;
    /** A name, address or number to insert into the error message. */
    subject?: string;
    limit?: number;
    count?: number;
    resultType?: unknown;
    /** The result of a tool, and the problems that the check against its output schema found. */
    result?: unknown;
    problems?: readonly string[];
    errno?: string;
    /** The address is a Unix socket or a named pipe. */
    isSocketFile?: boolean;
    status?: number;
    contentType?: string;
    bodyText?: string;
  };
  /** A message exceeded the size limit. */
  'too-large': CommonErrorData & {
    limitBytes: number;
    /** Set if the message has too many values; see `parseMessage`. */
    limitValues?: number;
    /** Set if the message has too many different names of members; see `parseMessage`. */
    limitNames?: number;
    /** The URI of the app that is too large. */
    app?: string;
  };
  /** The message could not be passed to the connection. */
  'send-failed': ConnectionErrorData & {
    why?: SendFailedWhy;
    bufferedBytes?: number;
    /** The number of waiting messages. */
    count?: number;
    waitedMs?: number;
  };
  /** The server responded with a status that ends the request. */
  'http-status': ConnectionErrorData & {
    status: number;
    why?: HttpStatusWhy;
    /** How many redirects were followed. */
    redirects?: number;
    /** Where a redirect leads. */
    target?: string;
    /** The beginning of the response body. */
    bodyText?: string;
    contentType?: string;
    /** The time that the server asked for with `Retry-After`. */
    retryAfterMs?: number;
  };
  /** The HTTP session has ended, and a new handshake is needed. The request was not processed. */
  'session-expired': CommonErrorData & { status: number; method?: string };
  /** The server requires a sign-in. */
  'auth-required': AuthErrorData & {
    /** The headers of the response. The headers of the request are not included. */
    challenge?: object;
    status?: number;
    /** The address, without parts that may be secret. */
    place?: string;
    /** The user was asked to sign in and declined. */
    declined?: boolean;
  };
  /** A sign-in or a token request failed, or the server refused the token. */
  'auth-failed': AuthErrorData;
  /** The connection was refused, the name was not resolved, or the TLS handshake failed. */
  'connection-refused': ConnectionErrorData & {
    errno?: string;
    why?: UnreachableWhy;
    /** The address is a Unix socket or a named pipe. */
    isSocketFile?: boolean;
  };
  /** The definition cannot be used as written. */
  'bad-configuration': CommonErrorData & {
    errno?: string;
    problem?: ConfigurationProblem;
    /** The variable that has no value, as `env:NAME`. */
    variable?: string;
    /** Why the variable has no value. */
    why?: NoValueWhy;
    /** A name, path or scheme to insert into the error message. */
    subject?: string;
    /**
     * The place of the invalid value, the reason that the value is invalid (`content`), and the variables that the
     * value comes from.
     */
    place?: ValuePlace;
    content?: BadContent;
    variables?: readonly string[];
    /** The file of the definition. */
    source?: string;
  };
  /** A registry of servers to install cannot be read. */
  'registry-failed': CommonErrorData & {
    problem: RegistryProblem;
    /** The address, without parts that may be secret, or the path. */
    place: string;
    status?: number;
    /** A time in ms, a size in bytes, or a count. */
    limit?: number;
    /** The answer of the registry, or the address that it redirects to. */
    detail?: string;
  };
  /** There is no server of this name. The next three codes are for a tool, a prompt and a skill. */
  'unknown-server': CommonErrorData & {
    name?: string;
    /** The existing names. */
    known?: readonly string[];
    /** The server existed when the editor that requests it was opened. */
    isGone?: boolean;
  };
  'unknown-tool': CommonErrorData & { tool?: string };
  'unknown-prompt': CommonErrorData & { prompt?: string };
  'unknown-skill': CommonErrorData & {
    uri?: string;
    /** The server's error message. */
    detail?: string;
  };
  /** The name may exist, but the list that contains it could not be fetched. */
  'list-failed': CommonErrorData & { list: string; reason: string; tool?: string };
  /** A feature is not available: the server does not offer it, its revision does not define it, or it is turned off. */
  unsupported: CommonErrorData & { why?: UnsupportedWhy; tool?: string };
  /** The arguments do not fit the schema. */
  'invalid-arguments': CommonErrorData & {
    problems?: readonly unknown[];
    /** A `tools/call` without the name of a tool. */
    isNameless?: boolean;
  };
  /** The server asked for input too often during one request. */
  'too-many-rounds': CommonErrorData & { method: string; rounds?: number };
  /** The fetched file differs from the listed one. */
  'verification-failed': CommonErrorData & { uri: string; why?: SkillFileProblem; count?: number; expected?: number };
  /** A file, a disk or a keyring could not be used. */
  'storage-failed': CommonErrorData & {
    operation?: StorageOperation;
    /** The name of the file or store, for display. */
    thing?: string;
    cause?: StorageCause;
    errno?: string;
    store?: 'secrets' | 'state';
    waitedMs?: number;
    /** The user's change is kept in memory until the window closes. */
    isKept?: boolean;
  };
  /** A bug in MCP Deck. */
  internal: CommonErrorData;
}

/** The kinds of failure. */
export type HostErrorCode = keyof HostErrorData;
