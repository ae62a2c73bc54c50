/**
 * A server as configured, after parsing and before its variables are resolved. Plain data; equal definitions serialize
 * equally.
 */

import type { OAuthDefinition } from './oauthDefinition.js';

/** How the protocol era is chosen: detected, or fixed by the configuration. */
export type ProtocolChoice = 'auto' | 'legacy' | '2026-07-28';

/**
 * The framing of messages to a local server: one line each, as in MCP, or with the Content-Length header of language
 * servers.
 */
export type StdioFraming = 'newline' | 'content-length';

/** The fields of all server types. */
export interface CommonDefinition {
  /** How the protocol era is chosen; default `auto`. */
  protocol?: ProtocolChoice;
  /** Request timeout, ms; progress notifications extend it. Default: the value of the setting. */
  timeoutMs?: number;
  /** Timeout of the start, ms, including the download of a package. Default: the value of the setting. */
  startTimeoutMs?: number;
  /** Maximum number of messages sent to the server per second; more are queued. Default: no limit. */
  maxMessagesPerSecond?: number;
  /** Whether the server is restarted when it ends unexpectedly. Default: the value of the setting. */
  restartOnCrash?: boolean;
  /**
   * Whether all clients of the gateway share one process or session (`one`, the default), or each client has its own,
   * with at most eight clients.
   */
  sharing?: 'one' | 'perCaller';
  /** Tools that are disabled until the user enables them: names, or patterns with `*`. */
  disabledTools?: string[];
  /** All other fields, such as `dev`. They are kept, so that an export contains them. */
  extra?: Record<string, unknown>;
}

/** A local server started as a process. */
export interface StdioDefinition extends CommonDefinition {
  type: 'stdio';
  command: string;
  args: string[];
  /** `null` removes an inherited variable. */
  env: Record<string, string | null>;
  /** A dotenv file; `env` overrides its values. */
  envFile?: string;
  cwd?: string;
  /** The framing of messages; default `newline`. */
  framing?: StdioFraming;
  /**
   * Present if VS Code would run the server in its sandbox (`sandboxEnabled`). MCP Deck has no sandbox, and shows a
   * warning.
   */
  isSandboxRequested?: true;
}

/** A remote server, or a local one behind a socket. */
export interface RemoteDefinition extends CommonDefinition {
  /**
   * The transport.
   * - `auto`: the definition has no type. Streamable HTTP is tried first, then HTTP+SSE, as the specification
   *   recommends.
   * - `socket`: JSON lines over a Unix socket or named pipe, without HTTP. Such a definition has no headers,
   *   authorities or sign-in.
   */
  type: 'http' | 'sse' | 'ws' | 'socket' | 'auto';
  /** A URL with the scheme http(s) or ws(s), or of the form unix:///path#/sub or pipe:///name. */
  url: string;
  headers: Record<string, string>;
  /** A PEM file with the certificate authorities to trust for this server, instead of the default ones. */
  caFile?: string;
  /** How to sign in; false disables the sign-in. */
  oauth?: OAuthDefinition | false;
}

/** A server that runs inside MCP Deck, without a process: the built-in server, or a mock. */
interface BuiltInDefinition extends CommonDefinition {
  type: 'builtin';
  /** Present for a mock. Configuration files cannot define one. */
  mock?: MockDefinition;
}

/** A server that gives the recorded answers of another server. */
export interface MockDefinition {
  /** The absolute path of the recording. It is read at each start. */
  file: string;
  /** Whether redacted values and answers that differ from the recorded ones are refused. Default false. */
  isStrict?: boolean;
  /** Whether answers take as long as in the recording. Default: answers come at once. */
  hasLatency?: boolean;
}

/** The definition of one server. */
export type ServerDefinition = StdioDefinition | RemoteDefinition | BuiltInDefinition;

/** A value that the user or an editor command provides when it is first needed (`inputs` of VS Code's mcp.json). */
export interface InputDefinition {
  id: string;
  type: 'promptString' | 'pickString' | 'command';
  description?: string;
  default?: string;
  /** promptString only: whether the value is kept in secret storage and never shown. */
  password?: boolean;
  /** pickString only: the choices. */
  options?: { label: string; value: string }[];
  /** command only: the editor command that provides the value. */
  command?: string;
  args?: unknown;
}

/** A position in a text file, zero-based, for a diagnostic. */
export interface SourcePosition {
  line: number;
  character: number;
  endLine: number;
  endCharacter: number;
}

/** A problem in a configuration, with its position. */
export interface ConfigProblem {
  severity: 'error' | 'warning';
  /** A sentence that states what is wrong and what is correct. */
  message: string;
  position: SourcePosition;
  /** The affected server entry, if there is one. */
  server?: string;
}

/**
 * The source of a definition, in order of precedence: user settings win over the workspace's files. `scratch` means
 * that the definition exists only in this window.
 */
export type SourceKind = 'builtin' | 'user' | 'vscode' | 'portable' | 'scratch';

/** One source of definitions: a file or a setting. */
export interface ConfigSource {
  /** A unique, stable ID, e.g. `vscode:file:///w/.vscode/mcp.json`. */
  id: string;
  kind: SourceKind;
  /** The name for display: `.vscode/mcp.json`, `User settings`. */
  label: string;
  /** The file, if the source is one. */
  fileUri?: string;
  /** Absolute path of the workspace folder of the file; the value of `${workspaceFolder}`. */
  folderPath?: string;
  folderName?: string;
  /**
   * Position of that folder among the open ones, from 0; determines the order of the list. If it is absent, folders are
   * in the order in which they were first seen.
   */
  folderIndex?: number;
}

/** The result of parsing one source: valid entries and problems. */
export interface ParsedConfig {
  servers: ParsedServer[];
  inputs: InputDefinition[];
  problems: ConfigProblem[];
  /** True if the text as a whole could not be parsed. The last valid servers are then kept. */
  isBroken: boolean;
}

/** One valid entry of a source. */
export interface ParsedServer {
  /** The name as written; unique within its source. */
  name: string;
  /** The ID in a host that knows more servers with this name. Default: assigned by the registry. */
  id?: string;
  definition: ServerDefinition;
  /** The position of the server's key in the file. */
  position: SourcePosition;
  /** True if the file contains `disabled: true` or `enabled: false`, or an invalid value in one of these fields. */
  isDisabled: boolean;
}
