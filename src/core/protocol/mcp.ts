/**
 * The MCP data types that the host uses, as one superset of all revisions (specification: `schema.ts` of each
 * revision). The fields that the host relies on were checked: those of results by `resultGuards.ts`, those of requests
 * from servers by `serverRequests.ts`. Unknown fields are kept on the objects unchanged.
 */

import type { LogLevel } from '../base/log.js';
import type { Params } from './jsonRpc.js';

/** The member of the result that contains the items of a list, by method. */
export const listMembers: Readonly<Record<string, string>> = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
};

/** The lists whose change a server reports with a notification. */
export type ListKind = 'tools' | 'resources' | 'prompts';

/** JSON Schema of a tool's input or output, in any dialect; untrusted. */
export type JsonSchema = Record<string, unknown>;

export type Meta = Record<string, unknown>;

interface Icon {
  src: string;
  mimeType?: string;
  sizes?: string[];
  theme?: 'light' | 'dark';
}

export interface Implementation {
  name: string;
  version: string;
  title?: string;
  description?: string;
  websiteUrl?: string;
  icons?: Icon[];
}

/**
 * Hints about a tool. They are claims of the server. Rules rely on them only for servers whose annotations the user
 * trusts.
 */
export interface ToolAnnotations {
  title?: string;
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
}

export interface Tool {
  name: string;
  title?: string;
  description?: string;
  inputSchema: JsonSchema;
  outputSchema?: JsonSchema;
  annotations?: ToolAnnotations;
  icons?: Icon[];
  /** 2025-11-25: whether the tool may or must run as a task. */
  execution?: { taskSupport?: 'forbidden' | 'optional' | 'required' };
  _meta?: Meta;
}

export interface Annotations {
  audience?: ('user' | 'assistant')[];
  /** 0 (least) to 1 (most important). */
  priority?: number;
  lastModified?: string;
}

export interface Resource {
  uri: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
  /** Size in bytes. */
  size?: number;
  annotations?: Annotations;
  icons?: Icon[];
  _meta?: Meta;
}

export interface ResourceTemplate {
  uriTemplate: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
  annotations?: Annotations;
  icons?: Icon[];
  _meta?: Meta;
}

export interface ResourceContents {
  uri: string;
  mimeType?: string;
  /** The text of a text resource. */
  text?: string;
  /** The content of a binary resource, in base64. */
  blob?: string;
  _meta?: Meta;
}

interface PromptArgument {
  name: string;
  title?: string;
  description?: string;
  required?: boolean;
}

export interface Prompt {
  name: string;
  title?: string;
  description?: string;
  arguments?: PromptArgument[];
  icons?: Icon[];
  _meta?: Meta;
}

export type ContentBlock =
  | { type: 'text'; text: string; annotations?: Annotations; _meta?: Meta }
  | { type: 'image'; data: string; mimeType: string; annotations?: Annotations; _meta?: Meta }
  | { type: 'audio'; data: string; mimeType: string; annotations?: Annotations; _meta?: Meta }
  | ({ type: 'resource_link' } & Resource)
  | { type: 'resource'; resource: ResourceContents; annotations?: Annotations; _meta?: Meta };

export interface CallToolResult {
  content: ContentBlock[];
  /** An object up to 2025-11-25; any JSON value since 2026-07-28. */
  structuredContent?: unknown;
  isError?: boolean;
  _meta?: Meta;
}

export interface ReadResourceResult {
  contents: ResourceContents[];
  _meta?: Meta;
}

export interface PromptMessage {
  role: 'user' | 'assistant';
  content: ContentBlock;
}

export interface GetPromptResult {
  description?: string;
  messages: PromptMessage[];
  _meta?: Meta;
}

/** The subject of a completion: an argument of a prompt, or a variable of a resource template. */
export type CompletionReference = { type: 'ref/prompt'; name: string } | { type: 'ref/resource'; uri: string };

export interface Completion {
  /** The values; at most 100. */
  values: string[];
  total?: number;
  hasMore?: boolean;
}

/** Syslog severities, lowest first (specification: logging). */
export const loggingLevels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;
export type LoggingLevel = (typeof loggingLevels)[number];

/** The level at which a server's log message is written to the log of MCP Deck. */
export const logLevelOf: Readonly<Record<LoggingLevel, LogLevel>> = {
  debug: 'debug',
  info: 'info',
  notice: 'info',
  warning: 'warn',
  error: 'error',
  critical: 'error',
  alert: 'error',
  emergency: 'error',
};

export interface LogMessage {
  level: LoggingLevel;
  logger?: string;
  data: unknown;
}

export interface Progress {
  progress: number;
  total?: number;
  message?: string;
}

export interface Root {
  /** The URI, which always begins with `file://`. */
  uri: string;
  name?: string;
}

export interface ServerCapabilities {
  experimental?: Record<string, unknown>;
  logging?: Record<string, unknown>;
  completions?: Record<string, unknown>;
  prompts?: { listChanged?: boolean };
  resources?: { subscribe?: boolean; listChanged?: boolean };
  tools?: { listChanged?: boolean };
  tasks?: Record<string, unknown>;
  extensions?: Record<string, unknown>;
}

export interface ClientCapabilities {
  experimental?: Record<string, unknown>;
  roots?: { listChanged?: boolean };
  sampling?: { context?: Record<string, unknown>; tools?: Record<string, unknown> };
  elicitation?: { form?: Record<string, unknown>; url?: Record<string, unknown> };
  tasks?: Record<string, unknown>;
  extensions?: Record<string, unknown>;
}

export interface SamplingContent {
  type: string;
  [key: string]: unknown;
}

export interface CreateMessageRequest {
  messages: { role: 'user' | 'assistant'; content: SamplingContent | SamplingContent[] }[];
  systemPrompt?: string;
  maxTokens: number;
  temperature?: number;
  stopSequences?: string[];
  modelPreferences?: Record<string, unknown>;
  includeContext?: string;
  tools?: Tool[];
  toolChoice?: { mode?: 'auto' | 'required' | 'none' };
  metadata?: Record<string, unknown>;
  _meta?: Meta;
}

export interface CreateMessageResult {
  role: 'assistant';
  content: SamplingContent | SamplingContent[];
  model: string;
  stopReason?: string;
}

export type ElicitRequest =
  | { mode: 'form'; message: string; requestedSchema: JsonSchema; _meta?: Meta }
  | { mode: 'url'; message: string; url: string; elicitationId?: string; _meta?: Meta };

export interface ElicitResult {
  action: 'accept' | 'decline' | 'cancel';
  content?: Record<string, unknown>;
}

/**
 * Keys of `_meta` in the requests, results and notifications of 2026-07-28 (specification 2026-07-28, basic, "_meta").
 */
export const metaKeys = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  logLevel: 'io.modelcontextprotocol/logLevel',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
} as const;

/**
 * Reads `notifications/message`; undefined if its level is missing or not a string. An unknown level becomes `info`.
 */
export function readLogMessage(params: Params): LogMessage | undefined {
  const { level, logger, data } = params;
  if (typeof level !== 'string') return undefined;
  const known = (loggingLevels as readonly string[]).includes(level) ? (level as LoggingLevel) : 'info';
  return typeof logger === 'string' ? { level: known, logger, data } : { level: known, data };
}
