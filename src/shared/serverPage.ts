import type { Guards } from './channel.js';
import { isObject } from './json.js';

/**
 * What the extension and the page of a server's details say to each other. Every text is harmless, bounded and
 * without secrets.
 */

export type ServerToPage = {
  notices: {
    /** The whole state; the answer to `ready`. */
    show: {
      bundle: Readonly<Record<string, string>>;
      /** Its id, to be kept for the time when the window is loaded again. */ server: string;
      details: ServerDetails;
    };
    /** Something changed, or was measured anew. */
    details: { details: ServerDetails };
  };
  requests: Record<never, { body: object; reply: unknown }>;
};

export type ServerFromPage = {
  notices: {
    ready: Record<never, unknown>;
    act: { action: ServerAction };
  };
  requests: Record<never, { body: object; reply: unknown }>;
};

/** Commands of the extension that the page has buttons for. */
const serverActions = [
  'startServer',
  'stopServer',
  'restartServer',
  'listAgain',
  'debugServer',
  'enableServer',
  'reviewTrust',
  'signIn',
  'openConfiguration',
  'showLog',
  'showTrace',
  'diagnoseServer',
] as const;
export type ServerAction = (typeof serverActions)[number];

export interface ServerDetails {
  server: string;
  state: { kind: 'running' | 'busy' | 'waiting' | 'failed' | 'stopped' | 'gone'; text: string };
  /** Transport and revision; while it runs. */
  badge?: string;
  /** What the server says it is. */
  identity?: string;
  actions: readonly ServerAction[];
  /** Sentences that deserve to be seen first: a definition that changed, no answer. */
  notes: readonly string[];
  figures: ServerFigureTexts;
  lastError?: ErrorDetails;
  tools: readonly ToolLine[];
  /** Present while it runs as a process. */
  processes?: ProcessDetails;
  /** Facts about the start, and what is in force. */
  groups: readonly FactGroup[];
  /** Of a local server. */
  environment?: EnvironmentDetails;
}

interface ServerFigureTexts {
  /** Since when it has been running, epoch milliseconds. */
  runningSince?: number;
  calls: number;
  failed: number;
  cancelled: number;
  p50Ms?: number;
  p95Ms?: number;
  starts: number;
  crashes: number;
  sent: TrafficTexts;
  received: TrafficTexts;
}

/** Messages of one direction, and how much they are. */
export interface TrafficTexts {
  messages: number;
  text: string;
}

export interface ErrorDetails {
  /** Epoch milliseconds. */
  at: number;
  /** The tool or resource that it happened to. */
  about?: string;
  what: string;
  next: string;
  /** Last lines that the server wrote about it. */
  output: readonly string[];
}

export interface ToolLine {
  tool: string;
  ok: number;
  failed: number;
  cancelled: number;
  p50Ms?: number;
  p95Ms?: number;
}

export interface ProcessDetails {
  lines: readonly { pid: number; name: string; depth: number; cpu: string; memory: string }[];
  /** Processes that there was no room for. */
  more: number;
  cpu: string;
  memory: string;
  /** One value for each look, oldest first: shares of one processor, and bytes. */
  cpuHistory: readonly number[];
  memoryHistory: readonly number[];
}

export interface FactGroup {
  title: string;
  facts: readonly Fact[];
}

export interface Fact {
  name: string;
  /** Several: a list. */
  values: readonly string[];
  /** Shown in the editor's font. */
  isCode?: boolean;
  /** Where it comes from. */
  from?: string;
}

export interface EnvironmentDetails {
  lines: readonly EnvironmentLine[];
  /** Why something is not shown. */
  note?: string;
}

export interface EnvironmentLine {
  name: string;
  /** Absent: it is not shown. */
  value?: string;
  from: 'definition' | 'file' | 'passedOn' | 'removed';
}

export const serverFromPageGuards: Guards<ServerFromPage> = {
  notices: {
    ready: isObject,
    act: (body): body is { action: ServerAction } =>
      isObject(body) && serverActions.some((action) => action === body['action']),
  },
  requests: {},
};

/** What a page kept for the time when its window is loaded again. */
export function savedServer(state: unknown): string | undefined {
  return isObject(state) && typeof state['server'] === 'string' ? state['server'] : undefined;
}
