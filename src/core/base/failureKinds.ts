/**
 * The kinds of failures, by error code. The tables in `core/present/failure` are typed by these names, so the build
 * fails if a kind has no text.
 */

/** Why a connection ended. */
export type ClosedWhy =
  /** The connection ended while it was being opened. */
  | 'opening'
  /** A local server was stopped before its process was started. */
  | 'before-start'
  /** The connection had ended before the message was sent. */
  | 'gone'
  /** The process had ended before the message was sent. */
  | 'process-gone'
  /** MCP Deck ended the connection before the server answered. */
  | 'host-early'
  /** MCP Deck ended the connection. */
  | 'host'
  /** The server closed the connection while it was being opened. */
  | 'peer-opening'
  | 'peer'
  /** The server did not answer a WebSocket ping. */
  | 'no-pong'
  /** The network failed. */
  | 'broken'
  /** The server closed a WebSocket with a code. */
  | 'websocket'
  | 'stream-ended'
  | 'no-answer'
  /** The response ended before it was complete. */
  | 'answer-broken'
  /** The response stream ended before the response arrived. */
  | 'answer-stream-ended'
  /** The response stream ended before the response arrived, and could not be resumed. */
  | 'not-resumed'
  | 'no-replay'
  /** The stream ended repeatedly. */
  | 'flapping'
  | 'stdout'
  | 'stdin'
  /** The server no longer responds to any request. */
  | 'silence'
  /** The app that sent the request was closed. */
  | 'app'
  | EndReason;

/** The action of the user that ended the server, or a policy that blocks it now (`blocked`). */
export type EndReason = 'stopped' | 'restarted' | 'disabled' | 'removed' | 'blocked';

/** Why a request does not start a server that is not running. */
export type NotRunningWhy =
  | 'disabled'
  /** The server was not started. */
  | 'idle'
  /** The user stopped the server, and the call must not start it again. */
  | 'ended'
  | 'stopped';

/** The decision that is missing: trust in the workspace, or approval of the definition. */
export type NotTrustedWhy = 'workspace' | 'definition';

/** Who set the policy that blocks a server. `machine` is the remote machine of a remote window. */
export type PolicyOwner = 'organization' | 'user' | 'machine' | 'workspace';

/** Why a policy blocks a server. */
export type PolicyReason =
  /** No server is allowed. */
  | 'none'
  /** Only servers of a registry are allowed. */
  | 'registry'
  | 'denied'
  /** The server is not in the list of allowed servers. */
  | 'not-allowed'
  /** Only the organization can allow servers, and it allows none. */
  | 'not-managed';

/** The problem with the handshake (`initialize` or `server/discover`). */
export type HandshakeProblem =
  /** The server answered with an error. */
  | 'refused'
  /** The server supports only revisions that MCP Deck does not implement. */
  | 'revisions'
  | HandshakeField;

/** The field that is missing from the response to the handshake. */
export type HandshakeField = 'capabilities' | 'supportedVersions';

/** The origin of a refusal to call a tool. */
export type CallRefusedBy = 'rule' | 'user';

/** The difference between a tool and the tool that was approved. */
export type ToolChange =
  | 'changed'
  /** The definition is too deep or too large to be compared. */
  | 'unhashable'
  /** The record of the approval is damaged. */
  | 'unreadable'
  /** The server no longer lists the tool. */
  | 'gone';

/** The step that timed out. */
export type TimeoutWhy =
  | 'connect'
  | 'websocket'
  | 'socket'
  | 'endpoint'
  /** The server did not accept the message in time. */
  | 'not-accepted'
  /** No HTTP response arrived in time. */
  | 'response'
  | 'login-shell'
  | 'sign-in-data';

/** Why a message was not sent. */
export type SendFailedWhy =
  /** The server does not read its standard input or its socket. */
  | 'not-reading'
  /** The server sends requests over HTTP but does not accept the responses. */
  | 'not-accepting'
  /** The server sends more requests than may be answered per second ("maxMessagesPerSecond"). */
  | 'too-many-responses'
  | 'not-sent'
  | 'not-connected';

/** Why a server could not be reached. */
export type UnreachableWhy =
  | 'no-listener'
  | 'no-socket'
  | 'denied'
  | 'no-name'
  | 'no-route'
  | 'tls'
  /** The server uses an unsupported version of TLS, or no TLS. */
  | 'tls-protocol'
  | 'tls-name'
  | 'tls-expired'
  | 'other';

/** The kinds of failures with an HTTP status. */
export type HttpStatusWhy =
  | 'plain'
  /** The server refuses one request again in a new session. */
  | 'in-new-session'
  /** The server refuses all requests after the handshake. */
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

/** The defect of a message from a server. */
export type MessageProblem =
  /** An unexpected content type, or a body that is not MCP. */
  | 'content'
  | 'empty'
  | 'compression'
  | 'headers-too-large'
  /** The response is not HTTP. */
  | 'not-http'
  /** The server sent HTTP instead of JSON lines. */
  | 'http'
  | 'session-id'
  | 'wrong-id'
  | 'endpoint'
  | 'event-stream'
  | 'event-lines'
  | 'binary'
  | 'encoding'
  /** The WebSocket handshake is invalid. */
  | 'handshake'
  | 'websocket'
  | 'header-length'
  | 'no-content-length'
  /** The response has no result object. */
  | 'no-result'
  /** The result does not have the structure that its method requires. */
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

/** The problem with a definition. */
export type ConfigurationProblem =
  | 'ca-unreadable'
  | 'ca-empty'
  | 'ca-broken'
  | 'unusable-value'
  | 'filled-length'
  | 'env-file'
  | 'no-value'
  | 'no-input'
  | 'plain-websocket'
  | 'socket-address'
  | 'websocket-address'
  | 'address-no-url'
  | 'address-control'
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

/** The part of a definition where a value is invalid. */
export type ValuePlace = 'header' | 'debugpyPath' | 'command' | 'argument' | 'environment';

/** The reason that the value is invalid. */
export type BadContent = 'nothing' | 'nothing-or-break' | 'break' | 'nul';

/** The reason that a variable has no value. */
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
  /** The tool was switched off by the user, the definition of the server, or the preset. */
  | 'user'
  | 'definition'
  | 'preset';

/** Why a registry of servers to install cannot be read. */
export type RegistryProblem =
  | 'status'
  | 'sign-in'
  | 'redirect'
  | 'redirect-too-often'
  | 'timeout'
  | 'cut'
  | 'too-large'
  | 'too-many'
  | 'not-json'
  | 'wrong-shape'
  | 'endless'
  | 'no-api';
