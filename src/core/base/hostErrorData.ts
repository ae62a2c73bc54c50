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
  /** The remote machine has a value of this setting, and VS Code would write over that one. */
  | 'remote-value'
  | 'other';

/** What was tried. */
export type StorageOperation = 'read' | 'write' | 'remove';

/** What every failure may carry, whatever its code. The host adds it on the way to the caller. */
export interface CommonErrorData {
  /** Our name for the server that it happened to. */
  server?: string;
  /** A value that the user typed in may be the cause. */
  usesInputs?: boolean;
  /** What was noticed while a start or a call waited. */
  remark?: Remark;
  /** A restart failed before it ended anything: the server runs as it was started before. */
  isStillRunning?: boolean;
}

/** What went wrong in a sign-in; its sentences are in `core/auth/authProblem.ts`. */
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
}

/** The details of a HostError, by its code. */
export interface HostErrorData {
  /** The caller gave up; never shown. */
  cancelled: CommonErrorData;
  /** No answer in time. */
  timeout: CommonErrorData & {
    waitedMs?: number;
    method?: string;
    /** The process wrote nothing at all where messages belong: it may read another framing. */
    wroteNothing?: boolean;
  };
  /** The connection ended while the request was in flight. */
  closed: CommonErrorData & {
    /** This side ended it. */
    by?: 'host';
    reason?: string;
    /** What the user did with the server, and whether the call was sent before. */
    ended?: 'stopped' | 'restarted' | 'disabled' | 'removed';
    wasSent?: boolean;
    /** Of a WebSocket. */
    code?: number;
  };
  /** The server is not running and was not asked to start. */
  'not-running': CommonErrorData & {
    /** `idle`: it was not started. `stopped`: it stopped before the request was sent. */
    why?: 'disabled' | 'idle' | 'stopped';
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
  'call-refused': CommonErrorData & { tool: string; by: 'rule' | 'user'; rule?: string };
  /** The tool is not what was approved, and has to be reviewed first. */
  'tool-changed': CommonErrorData & { tool: string; why: 'changed' | 'unhashable' | 'unreadable' | 'gone' };
  /** The process could not be started. */
  'spawn-failed': CommonErrorData & {
    command: string;
    errno?: string;
    /** Where the command was looked for. */
    folders?: readonly string[];
  };
  /** The process ended. */
  exited: CommonErrorData & {
    code?: number | null;
    signal?: string | null;
    /** Its last lines of error output. */
    stderr?: readonly string[];
    /** Whether anything was written. */
    wrote?: boolean;
    /** `start`: before the handshake was done. */
    phase?: 'start' | 'running';
    /** With `minutes`, where it is not started again: how often it ended in that time. */
    crashes?: number;
    minutes?: number;
  };
  /** The server asked for something in the middle of a request, and this side refused that. */
  'input-refused': CommonErrorData & { method: string; reason: string };
  /** initialize or server/discover gave nothing usable. */
  'handshake-failed': CommonErrorData & { code?: number; theirs?: unknown; method?: string; field?: string };
  /** No protocol revision in common. */
  'unsupported-version': CommonErrorData & { theirs: unknown; ours: readonly string[] };
  /** What the server sent is not valid MCP. */
  'invalid-message': CommonErrorData & {
    method?: string;
    problem?: string;
    resultType?: unknown;
    /** What a tool returned, and why it does not fit the output schema of the tool. */
    result?: unknown;
    problems?: readonly string[];
    errno?: string;
    status?: number;
    contentType?: string;
    bodyText?: string;
  };
  /** A message passed the size limit. */
  'too-large': CommonErrorData & { limitBytes: number };
  /** The message could not be handed to the connection. */
  'send-failed': CommonErrorData & { bufferedBytes?: number };
  /** The server answered with a status that ends the request. */
  'http-status': CommonErrorData & {
    status: number;
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
    /** The user was asked to sign in and did not. */
    declined?: boolean;
  };
  /** A sign-in or a token request stopped, or the server refuses what it gave. */
  'auth-failed': AuthErrorData;
  /** Connection refused, the name does not resolve, or the TLS handshake failed. */
  'connection-refused': CommonErrorData & { errno?: string };
  /** The definition cannot be used as written. */
  'bad-configuration': CommonErrorData & {
    errno?: string;
    /** The variable that has no value, as `env:NAME`. */
    variable?: string;
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
  'unknown-prompt': CommonErrorData;
  'unknown-skill': CommonErrorData;
  /** The name may be there, but the list that would tell could not be had. */
  'list-failed': CommonErrorData & { list: string; reason: string };
  /** The server does not offer this, or this revision has no such thing. */
  unsupported: CommonErrorData & { reason?: string };
  /** The arguments do not fit the schema. */
  'invalid-arguments': CommonErrorData & { problems?: readonly unknown[] };
  /** A request kept asking for input. */
  'too-many-rounds': CommonErrorData & { method: string; rounds?: number };
  /** What was fetched is not what was listed. */
  'verification-failed': CommonErrorData & { uri: string };
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
