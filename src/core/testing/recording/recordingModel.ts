/**
 * A recording: what a server answered, as JSON lines. The first line is the head, each further line a request with its
 * answer or a notification. Requests of the handshake, pings, log levels and subscriptions are not part of it.
 */
import type { Implementation, Progress, ServerCapabilities } from '../../protocol/mcp.js';
import type { Era } from '../../protocol/revisions.js';

export const recordingFormat = 'mcp-deck-recording';
export const recordingVersion = 1;

/** The ending of the names of recordings. */
export const recordingEnding = '.mcprecording.jsonl';

export interface RecordedHead {
  format: typeof recordingFormat;
  version: typeof recordingVersion;
  /** The name of the server in the configuration. */
  server: string;
  era: Era;
  revision: string;
  /** The kind of the transport, such as `stdio` or `http`. */
  transport: string;
  /** When the recording was written, in ISO 8601. */
  recordedAt: string;
  info: Implementation;
  capabilities: ServerCapabilities;
  instructions?: string;
}

/** The answer to a request: its result, or the error of JSON-RPC. */
export type RecordedAnswer =
  | { result: Record<string, unknown>; error?: undefined }
  | { error: { code: number; message: string; data?: unknown }; result?: undefined };

/** A request of the server during a request of the client, with the answer that the client gave. */
export interface RecordedAsk {
  /** Time since the request of the client, ms. */
  at: number;
  ask: 'elicitation/create' | 'sampling/createMessage' | 'roots/list';
  params: Record<string, unknown>;
  /** The name of the question in 2026-07-28. */
  name?: string;
  /** The number of the round. Questions with the same number were open at the same time. */
  round: number;
  /** Absent if the client did not answer. */
  answer?: RecordedAnswer;
  /** When it was answered, in ms since the request of the client. */
  answeredAt?: number;
}

/** A notification. During a request, `at` is the time since the request; otherwise, since the first message. */
export interface RecordedNotification {
  at: number;
  notification: string;
  params: Record<string, unknown>;
}

export interface RecordedProgress {
  at: number;
  progress: Progress;
}

export type RecordedEvent = RecordedAsk | RecordedNotification | RecordedProgress;

export type RecordedRequest = {
  /** Time since the first message of the recording, ms. */
  at: number;
  request: string;
  /** The parameters that decide the answer, with sorted names: without `_meta`, IDs, and the answers of rounds. */
  params: Record<string, unknown>;
  /** Time until the answer, ms. */
  ms: number;
  /** The messages before the answer, in order. */
  during?: RecordedEvent[];
  /** Where secrets were replaced by dots, as JSON Pointers into this line. */
  redacted?: string[];
} & RecordedAnswer;

export type RecordedLine = RecordedRequest | RecordedNotification;

export interface Recording {
  head: RecordedHead;
  lines: RecordedLine[];
}

/** Whether a line is a request, and not a notification. */
export function isRequest(line: RecordedLine): line is RecordedRequest {
  return 'request' in line;
}

/** The requests of a recording, in order. */
export function requestsOf({ lines }: Recording): RecordedRequest[] {
  return lines.filter(isRequest);
}

/** Requests that a mock answers by itself, because their answers belong to a connection. */
export const unrecorded: ReadonlySet<string> = new Set([
  'initialize',
  'server/discover',
  'ping',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
  'subscriptions/listen',
]);

/** The requests of servers that a recording contains. */
export const recordedQuestions: ReadonlySet<string> = new Set([
  'elicitation/create',
  'sampling/createMessage',
  'roots/list',
]);
