/**
 * What is written about a server, after parsing and before its variables are resolved. Plain data; equal definitions
 * serialize equally.
 */

import type { OAuthDefinition } from './oauthDefinition.js';

/** How the protocol era is chosen: by probing, or as told. */
export type ProtocolChoice = 'auto' | 'legacy' | '2026-07-28';

/**
 * How messages to a local server are framed: one line for each, as MCP has it, or with the Content-Length header of
 * language servers.
 */
export type StdioFraming = 'newline' | 'content-length';

/** What every kind of server has. */
export interface CommonDefinition {
  /** Era choice; default `auto`. */
  protocol?: ProtocolChoice;
  /** Per-request time-out in milliseconds that progress extends; default 60,000. */
  timeoutMs?: number;
  /** How long the handshake may take, in milliseconds; default 60,000: a cold package download counts. */
  startTimeoutMs?: number;
  /** Messages sent to the server per second at most; more wait their turn. Default: no limit. */
  maxMessagesPerSecond?: number;
  /** Whether the server is started again when it ends by itself; default what the setting says. */
  restartOnCrash?: boolean;
  /** Tools that are off until the user switches them on: names, or patterns with `*`. */
  disabledTools?: string[];
  /** Fields that the file has and we do not use; kept so that nothing is lost on export. */
  extra?: Record<string, unknown>;
}

/** A local server started as a process. */
export interface StdioDefinition extends CommonDefinition {
  type: 'stdio';
  command: string;
  args: string[];
  /** `null` removes an inherited variable. */
  env: Record<string, string | null>;
  /** A dotenv file whose values come before `env`. */
  envFile?: string;
  cwd?: string;
  /** Default `newline`. */
  framing?: StdioFraming;
}

/** A remote server, or a local one behind a socket. */
export interface RemoteDefinition extends CommonDefinition {
  /**
   * `auto`: no type written; Streamable HTTP first, then HTTP+SSE, as the specification says. `socket`: JSON lines over a
   * Unix socket or named pipe, without HTTP; such a definition has no headers, authorities or sign-in.
   */
  type: 'http' | 'sse' | 'ws' | 'socket' | 'auto';
  /** http(s), ws(s), unix:///path#/sub or pipe:///name. */
  url: string;
  headers: Record<string, string>;
  /** A PEM file with the certificate authorities to trust for this server, instead of the built-in ones. */
  caFile?: string;
  /** How to sign in; false: never. */
  oauth?: OAuthDefinition | false;
}

/** The server inside the extension itself. */
interface BuiltInDefinition extends CommonDefinition {
  type: 'builtin';
}

/** What is written about one server. */
export type ServerDefinition = StdioDefinition | RemoteDefinition | BuiltInDefinition;

/** Asks the user for a value the first time it is needed (`inputs` of VS Code's mcp.json). */
export interface InputDefinition {
  id: string;
  type: 'promptString' | 'pickString' | 'command';
  description?: string;
  default?: string;
  /** promptString only: kept in the secret store, never shown. */
  password?: boolean;
  /** pickString only. */
  options?: { label: string; value: string }[];
  /** command only. */
  command?: string;
  args?: unknown;
}

/** A place in a text file, zero-based, for a diagnostic. */
export interface SourcePosition {
  line: number;
  character: number;
  endLine: number;
  endCharacter: number;
}

/** Something wrong in a configuration, at its place. */
export interface ConfigProblem {
  severity: 'error' | 'warning';
  /** A sentence: what is wrong and what would be right. */
  message: string;
  position: SourcePosition;
  /** The server entry it belongs to, when it belongs to one. */
  server?: string;
}

/** Where a definition comes from, in order of precedence: user settings win over the workspace's files. */
export type SourceKind = 'builtin' | 'user' | 'vscode' | 'portable';

/** One source of definitions: a file or a setting. */
export interface ConfigSource {
  /** Stable and unique, e.g. `vscode:file:///w/.vscode/mcp.json`. */
  id: string;
  kind: SourceKind;
  /** For people: `.vscode/mcp.json`, `User settings`. */
  label: string;
  /** The file, when it is one. */
  fileUri?: string;
  /** The workspace folder whose file it is: gives `${workspaceFolder}`. Absolute path. */
  folderPath?: string;
  folderName?: string;
  /**
   * Place of that folder among the open ones, from 0: orders the list. Without it folders stand in the order in which
   * they were first seen.
   */
  folderIndex?: number;
}

/** The outcome of parsing one source: good entries and problems side by side. */
export interface ParsedConfig {
  servers: ParsedServer[];
  inputs: InputDefinition[];
  problems: ConfigProblem[];
  /** True when the text could not be parsed as a whole: the last good state stays. */
  isBroken: boolean;
}

/** One good entry of a source. */
export interface ParsedServer {
  /** As written; unique within its source. */
  name: string;
  definition: ServerDefinition;
  /** Where its key stands in the file. */
  position: SourcePosition;
  /** The file says `disabled: true` or `enabled: false`, or something unreadable in their place. */
  isDisabled: boolean;
}
