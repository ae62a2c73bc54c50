/**
 * The kinds of failures, by error code. The tables in `core/present/failure` are typed by these names, so a kind without a
 * sentence does not compile.
 */

/** Why a connection ended. */
export type ClosedWhy =
  /** While it was being opened. */
  | 'opening'
  /** A local server was stopped before its process was started. */
  | 'before-start'
  /** It had ended before the message was sent. */
  | 'gone'
  /** The same of a process. */
  | 'process-gone'
  /** This side ended it, before the server answered. */
  | 'host-early'
  /** This side ended it. */
  | 'host'
  /** The server closed it while it was being opened. */
  | 'peer-opening'
  | 'peer'
  /** The server does not answer the ping of a WebSocket. */
  | 'no-pong'
  /** The network failed. */
  | 'broken'
  /** The server closed a WebSocket with a code. */
  | 'websocket'
  | 'stream-ended'
  | 'no-answer'
  /** The answer ended before it was complete. */
  | 'answer-broken'
  /** The stream of an answer ended before the answer came. */
  | 'answer-stream-ended'
  /** The same, and it could not be resumed. */
  | 'not-resumed'
  | 'no-replay'
  /** The stream ended again and again. */
  | 'flapping'
  | 'stdout'
  | 'stdin'
  /** The server does not answer any request any more. */
  | 'silence'
  /** The app was closed that sent the request. */
  | 'app'
  | EndReason;

/** The user action that ended the server. */
export type EndReason = 'stopped' | 'restarted' | 'disabled' | 'removed';

/** Why a server that does not run is not started for a request. */
export type NotRunningWhy =
  | 'disabled'
  /** The server was not started. */
  | 'idle'
  | 'stopped';

/** What the user has to trust first. */
export type NotTrustedWhy = 'workspace' | 'definition';

/** What is wrong with the handshake (`initialize` or `server/discover`). */
export type HandshakeProblem =
  /** The server answered with an error. */
  | 'refused'
  /** The server names revisions that MCP Deck does not implement. */
  | 'revisions'
  | HandshakeField;

/** The field that the answer to the handshake lacks. */
export type HandshakeField = 'capabilities' | 'supportedVersions';

/** What denies a call. */
export type CallRefusedBy = 'rule' | 'user';

/** The difference between a tool and the tool that was approved. */
export type ToolChange =
  | 'changed'
  /** The definition is too deep or too large to be compared. */
  | 'unhashable'
  /** The record of the approval is damaged. */
  | 'unreadable'
  /** The server does not list the tool any more. */
  | 'gone';

/** The step that timed out. */
export type TimeoutWhy =
  | 'connect'
  | 'websocket'
  | 'socket'
  | 'endpoint'
  /** The message was not accepted. */
  | 'not-accepted'
  /** There was no HTTP response. */
  | 'response'
  | 'login-shell'
  | 'sign-in-data';

/** Why a message was not sent. */
export type SendFailedWhy =
  /** The server does not read its standard input or its socket. */
  | 'not-reading'
  /** The server sends requests over HTTP and does not accept the responses. */
  | 'not-accepting'
  | 'not-sent'
  | 'not-connected';

/** Why a server was not reached. */
export type UnreachableWhy =
  | 'no-listener'
  | 'no-socket'
  | 'denied'
  | 'no-name'
  | 'no-route'
  | 'tls'
  /** TLS of another version, or none. */
  | 'tls-protocol'
  | 'tls-name'
  | 'tls-expired'
  | 'other';

/** The kinds of failures with an HTTP status. */
export type HttpStatusWhy =
  | 'plain'
  /** One request is refused in a new session too. */
  | 'in-new-session'
  /** All requests after the handshake are refused. */
  | 'after-handshake'
  | 'websocket-redirect'
  | RedirectProblem;

/** Why a redirect is not followed. */
export type RedirectProblem =
  | 'redirect-nowhere'
  | 'redirect-no-url'
  | 'redirect-scheme'
  | 'redirect-origin'
  | 'redirect-drops-message'
  | 'redirect-too-often';

/** Why a process was not started. */
export type SpawnFailedWhy =
  'no-folder' | 'not-found' | 'not-permitted' | 'refused' | 'part-missing' | 'line-ending' | 'no-interpreter';

/** What is wrong with a message of a server. */
export type MessageProblem =
  /** Another content type, or no MCP in it. */
  | 'content'
  | 'empty'
  | 'compression'
  | 'headers-too-large'
  /** Not HTTP. */
  | 'not-http'
  /** HTTP instead of JSON lines. */
  | 'http'
  | 'session-id'
  | 'wrong-id'
  | 'endpoint'
  | 'event-stream'
  | 'event-lines'
  | 'binary'
  | 'encoding'
  /** The handshake of a WebSocket. */
  | 'handshake'
  | 'websocket'
  | 'header-length'
  | 'no-content-length'
  /** The answer has no result object. */
  | 'no-result'
  /** The result is not that of its method. */
  | 'result'
  | 'result-type'
  | 'input-count'
  | 'input-method'
  | 'task'
  | 'task-input'
  /** The structured output does not fit the schema of the tool. */
  | 'output'
  | 'skill'
  | 'app'
  /** A trace file without messages. */
  | 'trace-file';

/** What is wrong with a definition. */
export type ConfigurationProblem =
  | 'ca-unreadable'
  | 'ca-empty'
  | 'ca-broken'
  | 'unusable-value'
  | 'env-file'
  | 'no-value'
  | 'no-input'
  | 'plain-websocket'
  | 'socket-address'
  | 'websocket-address'
  | 'address-no-url'
  | 'address-password'
  | 'address-scheme'
  | 'address-percent'
  | 'address-path'
  | 'header-name'
  | 'header-reserved'
  | 'header-value'
  | 'nul-command'
  | 'nul-argument'
  | 'nul-variable'
  | 'batch-argument'
  | 'sign-in-file'
  | 'debugpy-changed';

/** The part of a definition that would get an invalid value. */
export type ValuePlace = 'header' | 'debugpyPath' | 'command' | 'argument' | 'environment';

/** What is invalid about that value. */
export type BadContent = 'nothing' | 'nothing-or-break' | 'break' | 'nul';

/** Why a variable has no value. */
export type NoValueWhy =
  | 'setting'
  | 'environment'
  | 'folders-same-name'
  | 'no-folder-name'
  | 'several-folders'
  | 'no-folder'
  | 'no-name'
  | 'nested'
  | 'write-env'
  | 'unknown';

/** Why a file of a skill is not used. */
export type SkillFileProblem =
  | 'nothing'
  | 'several'
  | 'too-large'
  | 'not-listed'
  | 'size'
  | 'digest'
  | 'front-matter-length'
  | 'front-matter-unreadable'
  | 'front-matter';

/** The feature that is not available. */
export type UnsupportedWhy =
  | 'no-skills'
  | 'no-sign-in'
  | 'no-sign-in-here'
  /** The user, the definition of the server, or the preset switched the tool off. */
  | 'user'
  | 'definition'
  | 'preset';
