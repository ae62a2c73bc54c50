/**
 * Failures that are ours, never serialized to a peer. One code per kind of failure; the message is a whole sentence
 * that says what happened and to whom. `hint`, where present, says what to do next.
 *
 * - `cancelled`: the caller gave up; never shown.
 * - `timeout`: no answer in time. data: { waitedMs, method }
 * - `closed`: the connection ended while the request was in flight. data: { reason, by } (`by`: `host` where this side ended it)
 * - `not-running`: the server is not running and was not asked to start.
 * - `not-trusted`: the definition was not approved, or the workspace is not trusted.
 * - `needs-input`: a value that the definition asks for is missing, and nobody can be asked now. data: { input }
 * - `call-refused`: a rule or the user's answer says no to this call. data: { tool, by, rule }
 * - `tool-changed`: the tool is not what was approved, and has to be reviewed first. data: { tool, why }
 * - `spawn-failed`: the process could not be started. data: { command, errno }
 * - `exited`: the process ended. data: { code, signal, stderr, wrote, phase, crashes, minutes } (`wrote`: whether anything was written; `phase`: `start` before the handshake was done, else `running`; the last two when it is not started again)
 * - `input-refused`: the server asked for something in the middle of a request, and this side refused that. data: { method, reason }
 * - `handshake-failed`: initialize or discover gave nothing usable.
 * - `unsupported-version`: no protocol revision in common. data: { theirs, ours }
 * - `invalid-message`: what the server sent is not valid MCP. data: { method, problem }
 * - `too-large`: a message passed the size limit. data: { limitBytes }
 * - `send-failed`: the message could not be handed to the connection.
 * - `http-status`: the server answered with a status that ends the request. data: { status }
 * - `session-expired`: the HTTP session is gone; a new handshake is needed. The request was not processed. data: { status, method }
 * - `auth-required`: the server wants a sign-in. data: { problem, server, issuer, scopes }
 * - `auth-failed`: a sign-in or a token request stopped, or the server refuses what it gave. data: { problem, server, issuer, error }
 * - `connection-refused`: connection refused, the name does not resolve, or the TLS handshake failed. data: { errno }
 * - `bad-configuration`: the definition cannot be used as written.
 * - `unknown-server`, `unknown-tool`, `unknown-prompt`, `unknown-skill`: no such name here.
 * - `list-failed`: the name may be there, but the list that would tell could not be had. data: { list, reason }
 * - `unsupported`: the server does not offer this, or this revision has no such thing.
 * - `invalid-arguments`: the arguments do not fit the schema. data: { problems }
 * - `too-many-rounds`: a request kept asking for input.
 * - `verification-failed`: what was fetched is not what was listed. data: { uri }
 * - `storage-failed`: a file, a disk or a keyring could not be used. data: { operation, thing, cause, errno, store, waitedMs, isKept }
 * - `internal`: a bug of ours.
 */
export type HostErrorCode =
  | 'cancelled'
  | 'timeout'
  | 'closed'
  | 'not-running'
  | 'not-trusted'
  | 'needs-input'
  | 'call-refused'
  | 'tool-changed'
  | 'spawn-failed'
  | 'exited'
  | 'input-refused'
  | 'handshake-failed'
  | 'unsupported-version'
  | 'invalid-message'
  | 'too-large'
  | 'send-failed'
  | 'http-status'
  | 'session-expired'
  | 'auth-required'
  | 'auth-failed'
  | 'connection-refused'
  | 'bad-configuration'
  | 'unknown-server'
  | 'unknown-tool'
  | 'unknown-prompt'
  | 'unknown-skill'
  | 'list-failed'
  | 'unsupported'
  | 'invalid-arguments'
  | 'too-many-rounds'
  | 'verification-failed'
  | 'storage-failed'
  | 'internal';

/**
 * Details of a HostError, as listed at `HostErrorCode`; the host adds `server`, our name for it, `usesInputs` where a value that
 * the user typed in may be the cause, and `remark` (a `Remark`) for what was noticed while a start or a call waited.
 */
export interface HostErrorOptions {
  data?: Record<string, unknown>;
  /** One sentence: what to do next. */
  hint?: string;
  cause?: unknown;
}

/** A failure on our side; see `HostErrorCode` for the kinds. */
export class HostError extends Error {
  readonly data: Record<string, unknown>;
  readonly hint: string | undefined;

  constructor(
    readonly code: HostErrorCode,
    message: string,
    options: HostErrorOptions = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'HostError';
    this.data = options.data ?? {};
    this.hint = options.hint;
  }
}

/** An error whose message is ready to be shown as it is. */
export class UserError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UserError';
  }
}

/** True for the outcome of a caller's own cancellation: never shown, never logged as an error. */
export function isCancelled(error: unknown): boolean {
  return (
    (error instanceof HostError && error.code === 'cancelled') ||
    (error instanceof Error && (error.name === 'AbortError' || error.name === 'Canceled'))
  );
}

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
