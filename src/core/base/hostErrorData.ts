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

/** Why something could not be read or written. */
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
  /** The remote machine has a value of this setting, and VS Code would change that value. */
  | 'remote-value'
  | 'other';

/** The operation that failed. */
export type StorageOperation = 'read' | 'write' | 'remove';

/** Data that failures of every code can have. The host adds it. */
export interface CommonErrorData {
  /** The name of the server in MCP Deck. */
  server?: string;
  /** The message is translated and names the server, so the name is not put before it. */
  isComplete?: boolean;
  /** A value that the user entered may be the cause. */
  usesInputs?: boolean;
  /** A remark made while a start or a call waited. */
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
  /** The error code of OAuth. */
  error?: string;
  scopes?: readonly string[];
  /** The address that the problem is about. */
  url?: string;
  /** The exact problem, in English. */
  detail?: string;
  /** The server's own message when it refused the request, and the header that it expects an API key in. */
  said?: string;
  keyHeader?: string;
}

/** Details of a failed connection. */
interface ConnectionErrorData extends CommonErrorData {
  /** The address, without parts that may be secret. */
  place?: string;
  /** The HTTP request that failed: a method of MCP, or a name such as `the request for an event stream`. */
  request?: string;
  /** The reason that the library or the server gave. */
  detail?: string;
}

/** The details of a HostError, by its code. */
export interface HostErrorData {
  /** The caller gave up; never shown. */
  cancelled: CommonErrorData;
  /** No answer in time. */
  timeout: ConnectionErrorData & {
    why?: TimeoutWhy;
    waitedMs?: number;
    method?: string;
    /** The process wrote nothing to its standard output. It may expect another framing. */
    wroteNothing?: boolean;
  };
  /** The connection ended while the request was in flight. */
  closed: ConnectionErrorData & {
    why?: ClosedWhy;
    /** This side ended it. */
    by?: 'host';
    reason?: string;
    /** Whether the call was sent before the user ended the server. */
    wasSent?: boolean;
    /** Of a WebSocket. */
    code?: number;
    waitedMs?: number;
    /** The request that got no answer. */
    method?: string;
  };
  /** The server is not running and was not asked to start. */
  'not-running': CommonErrorData & {
    why: NotRunningWhy;
  };
  /** The definition was not approved, or the workspace is not trusted. */
  'not-trusted': CommonErrorData & {
    /** Where the definition comes from that was not approved. */
    source?: string;
    /** The workspace is not trusted. */
    isWorkspace?: boolean;
  };
  /** A value that the definition asks for is missing, and the user cannot be asked now. */
  'needs-input': CommonErrorData & { input: string };
  /** A rule or the user's answer says no to this call. */
  'call-refused': CommonErrorData & { tool: string; by: CallRefusedBy; rule?: string };
  /** The tool is not what was approved, and has to be reviewed first. */
  'tool-changed': CommonErrorData & { tool: string; why: ToolChange };
  /** The process could not be started. */
  'spawn-failed': CommonErrorData & {
    command: string;
    errno?: string;
    why?: SpawnFailedWhy;
    /** The folder to start it in, as it was resolved. */
    cwd?: string;
    /** The program that the first line of the script names. */
    interpreter?: string;
    /** Where the command was looked for. */
    folders?: readonly string[];
  };
  /** The process ended. */
  exited: CommonErrorData & {
    code?: number | null;
    signal?: string | null;
    /** Its last lines of error output. */
    stderr?: readonly string[];
    /** What the whole error output says about the end. */
    report?: CrashReport;
    /** Whether anything was written. */
    wrote?: boolean;
    /** `start`: before the handshake was done. */
    phase?: 'start' | 'running';
    /** With `minutes`, where it is not started again: how often it ended in that time. */
    crashes?: number;
    minutes?: number;
  };
  /** The server asked for something in the middle of a request, and this side refused that. */
  'input-refused': CommonErrorData & {
    method: string;
    reason: string;
    /** MCP Deck offers no such thing. */
    isUnknown?: boolean;
  };
  /** initialize or server/discover gave nothing usable. */
  'handshake-failed': CommonErrorData & { code?: number; theirs?: unknown; method?: string; field?: HandshakeField };
  /** No protocol revision in common. */
  'unsupported-version': CommonErrorData & {
    theirs: unknown;
    ours: readonly string[];
    /** The revision that was offered in the handshake. */
    offered?: string;
  };
  /** What the server sent is not valid MCP. */
  'invalid-message': ConnectionErrorData & {
    method?: string;
    problem?: MessageProblem;
    /** A name, address or number that the sentence needs. */
    subject?: string;
    limit?: number;
    count?: number;
    resultType?: unknown;
    /** What a tool returned, and why it does not fit the output schema of the tool. */
    result?: unknown;
    problems?: readonly string[];
    errno?: string;
    /** It is a Unix socket or a named pipe. */
    isSocketFile?: boolean;
    status?: number;
    contentType?: string;
    bodyText?: string;
  };
  /** A message passed the size limit. */
  'too-large': CommonErrorData & {
    limitBytes: number;
    /** The address of the app that is too large. */
    app?: string;
  };
  /** The message could not be handed to the connection. */
  'send-failed': ConnectionErrorData & {
    why?: SendFailedWhy;
    bufferedBytes?: number;
    /** The number of messages that wait. */
    count?: number;
    waitedMs?: number;
  };
  /** The server answered with a status that ends the request. */
  'http-status': ConnectionErrorData & {
    status: number;
    why?: HttpStatusWhy;
    /** How many redirects were followed. */
    redirects?: number;
    /** Where a redirect leads. */
    target?: string;
    /** The beginning of the body. */
    bodyText?: string;
    contentType?: string;
    /** The time that the server asked for with `Retry-After`. */
    retryAfterMs?: number;
  };
  /** The HTTP session is gone; a new handshake is needed. The request was not processed. */
  'session-expired': CommonErrorData & { status: number; method?: string };
  /** The server wants a sign-in. */
  'auth-required': AuthErrorData & {
    /** The headers of the answer, without what was sent. */
    challenge?: object;
    status?: number;
    /** The address, without parts that may be secret. */
    place?: string;
    /** The user was asked to sign in and did not. */
    declined?: boolean;
  };
  /** A sign-in or a token request stopped, or the server refuses what it gave. */
  'auth-failed': AuthErrorData;
  /** Connection refused, the name does not resolve, or the TLS handshake failed. */
  'connection-refused': ConnectionErrorData & {
    errno?: string;
    why?: UnreachableWhy;
    /** It is a Unix socket or a named pipe. */
    isSocketFile?: boolean;
  };
  /** The definition cannot be used as written. */
  'bad-configuration': CommonErrorData & {
    errno?: string;
    problem?: ConfigurationProblem;
    /** The variable that has no value, as `env:NAME`. */
    variable?: string;
    /** Why it has none. */
    why?: NoValueWhy;
    /** The name, path or scheme that the sentence needs. */
    subject?: string;
    /** Where a value does not fit, what it would be, and the variables that it comes from. */
    place?: ValuePlace;
    content?: BadContent;
    variables?: readonly string[];
    /** The file of the definition. */
    source?: string;
  };
  /** No server, tool, prompt or skill of this name. */
  'unknown-server': CommonErrorData & {
    name?: string;
    /** The names that there are. */
    known?: readonly string[];
    /** It was there when the editor that asks for it was opened. */
    isGone?: boolean;
  };
  'unknown-tool': CommonErrorData & { tool?: string };
  'unknown-prompt': CommonErrorData & { prompt?: string };
  'unknown-skill': CommonErrorData & {
    uri?: string;
    /** What the server says about it. */
    detail?: string;
  };
  /** The name may be there, but the list that would tell could not be had. */
  'list-failed': CommonErrorData & { list: string; reason: string; tool?: string };
  /** The server does not offer this, or this revision has no such thing. */
  unsupported: CommonErrorData & { why?: UnsupportedWhy; tool?: string };
  /** The arguments do not fit the schema. */
  'invalid-arguments': CommonErrorData & {
    problems?: readonly unknown[];
    /** A `tools/call` that names no tool. */
    isNameless?: boolean;
  };
  /** A request kept asking for input. */
  'too-many-rounds': CommonErrorData & { method: string; rounds?: number };
  /** What was fetched is not what was listed. */
  'verification-failed': CommonErrorData & { uri: string; why?: SkillFileProblem; count?: number; expected?: number };
  /** A file, a disk or a keyring could not be used. */
  'storage-failed': CommonErrorData & {
    operation?: StorageOperation;
    /** What was read or written, as people know it. */
    thing?: string;
    cause?: StorageCause;
    errno?: string;
    store?: 'secrets' | 'state';
    waitedMs?: number;
    /** The change counts until the window closes. */
    isKept?: boolean;
  };
  /** A fault of MCP Deck. */
  internal: CommonErrorData;
}

/** The kinds of failure. */
export type HostErrorCode = keyof HostErrorData;
