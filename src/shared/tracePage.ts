import type { Guards } from './channel.js';
import type { JsonNode, JsonPath } from './result/resultModel.js';
import { isObject } from './json.js';

/**
 * The messages between the extension and the page of the Trace view. The page refers to MCP messages by their number,
 * and never receives them in their original form.
 */

export type TraceToPage = {
  notices: {
    /** The whole state. Sent as the response to `ready`, and again when another trace is shown. */
    show: { bundle: Readonly<Record<string, string>>; status: TraceStatus };
    /** Sent when messages were added or dropped, or when the state of the trace changed. */
    status: { status: TraceStatus };
    /** Selects a message and shows its details. */
    reveal: { position: number; seq: number };
  };
  requests: Record<never, { body: object; reply: unknown }>;
};

export type TraceFromPage = {
  notices: {
    ready: Record<never, unknown>;
    filter: { filter: PageFilter };
    pause: { isPaused: boolean };
    act: { action: TraceAction };
    copyJson: { seq: number; what: 'path' | 'value'; path: JsonPath };
    /** Saves the call that the message belongs to as a test. */
    saveAsTest: { seq: number };
  };
  requests: {
    /** Requests the rows in a range of positions. */
    rows: { body: { from: number; to: number }; reply: { rows: TraceRow[] } };
    details: { body: { seq: number }; reply: { details?: TraceDetails } };
    /** Requests the position of a message. The position is absent if the filter excludes the message. */
    find: { body: { seq: number }; reply: { position?: number } };
    /** Sends a request again with other parameters. `problem` states why the request was not sent. */
    resend: { body: { seq: number; params: string }; reply: { problem?: string } };
  };
};

const traceActions = ['chooseTraceServer', 'startTrace', 'openTrace', 'startServer'] as const;
export type TraceAction = (typeof traceActions)[number];

export interface PageFilter {
  text: string;
  method: string;
  errorsOnly: boolean;
  direction: 'both' | 'sent' | 'received';
}

export interface TraceStatus {
  source: TraceSource;
  /**
   * Position of the oldest row; `end` is the position after the newest row. A different filter restarts the positions.
   */
  first: number;
  end: number;
  /** Number of stored messages, regardless of the filter. */
  held: number;
  /** Number of older messages that were dropped. */
  forgotten: number;
  isScanning: boolean;
  isPaused: boolean;
  /** Number of messages that arrived during the pause. */
  waiting: number;
  /** Methods for the filter, safe to show as text. */
  methods: readonly string[];
  filter: PageFilter;
}

export type TraceSource =
  | { kind: 'none' }
  | { kind: 'server'; id: string; isCapturing: boolean; isRunning: boolean }
  /** A trace from a file. `note` describes problems of the file. */
  | { kind: 'file'; name: string; note?: string };

/** One row of the list. All texts are safe to show, short, and free of secrets. */
export interface TraceRow {
  position: number;
  seq: number;
  time: string;
  direction: 'sent' | 'received';
  kind: 'request' | 'response' | 'notification' | 'invalid' | 'note';
  isError: boolean;
  /**
   * Present for a request without a successful response: the response is an error (`failed`), has not arrived (`open`),
   * or can no longer arrive (`lost`).
   */
  outcome?: 'failed' | 'open' | 'lost';
  id: string;
  method: string;
  summary: string;
  latency: string;
  size: string;
}

export interface TraceDetails {
  row: TraceRow;
  message: TraceMessage;
  /** The request or response that belongs to this message, if it is stored. */
  pair?: TraceMessage;
  /** The parameters as JSON, if the request was sent by MCP Deck and can be sent again. */
  params?: string;
  /** Whether some parameters were secrets that must be entered again. */
  isMasked: boolean;
  /** Whether the message belongs to a tool call with a result, which can be saved as a test. */
  isCall: boolean;
}

export interface TraceMessage {
  seq: number;
  kind: TraceRow['kind'];
  direction: 'sent' | 'received';
  id: string;
  facts: readonly { name: string; value: string }[];
  /** The JSON of the message; absent if the message is not JSON. */
  json?: JsonNode;
  /** The text of a message that is not JSON. */
  text?: string;
}

const maxTextLength = 1_000;
const maxParamsLength = 1 << 20;
/** Maximum number of rows in one request. */
const maxRows = 500;

/** The checks of the messages from the page, by name. */
export const traceFromPageGuards: Guards<TraceFromPage> = {
  notices: {
    ready: isObject,
    filter: (body): body is { filter: PageFilter } => isObject(body) && isFilter(body['filter']),
    pause: (body): body is { isPaused: boolean } => isObject(body) && typeof body['isPaused'] === 'boolean',
    act: (body): body is { action: TraceAction } =>
      isObject(body) && traceActions.some((action) => action === body['action']),
    saveAsTest: (body): body is { seq: number } => isObject(body) && isCount(body['seq']),
    copyJson: (body): body is { seq: number; what: 'path' | 'value'; path: JsonPath } =>
      isObject(body) &&
      isCount(body['seq']) &&
      (body['what'] === 'path' || body['what'] === 'value') &&
      Array.isArray(body['path']) &&
      body['path'].length <= 1_000 &&
      body['path'].every((step) => typeof step === 'string' || isCount(step)),
  },
  requests: {
    rows: (body): body is { from: number; to: number } =>
      isObject(body) && isCount(body['from']) && isCount(body['to']) && body['to'] - body['from'] <= maxRows,
    details: (body): body is { seq: number } => isObject(body) && isCount(body['seq']),
    find: (body): body is { seq: number } => isObject(body) && isCount(body['seq']),
    resend: (body): body is { seq: number; params: string } =>
      isObject(body) &&
      isCount(body['seq']) &&
      typeof body['params'] === 'string' &&
      body['params'].length <= maxParamsLength,
  },
};

function isFilter(value: unknown): value is PageFilter {
  return (
    isObject(value) &&
    typeof value['text'] === 'string' &&
    value['text'].length <= maxTextLength &&
    typeof value['method'] === 'string' &&
    value['method'].length <= maxTextLength &&
    typeof value['errorsOnly'] === 'boolean' &&
    ['both', 'sent', 'received'].some((direction) => direction === value['direction'])
  );
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
