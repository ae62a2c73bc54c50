import type { Guards } from './channel.js';
import type { JsonNode, JsonPath } from './result/resultModel.js';
import { isObject } from './json.js';

/**
 * What the extension and the page of the Trace view say to each other. The page names lines by their number; it never
 * has a message as it came.
 */

export type TraceToPage = {
  notices: {
    /** The whole state; the answer to `ready`, and sent again when another trace is shown. */
    show: { bundle: Readonly<Record<string, string>>; status: TraceStatus };
    /** Lines came or went, or something about the trace changed. */
    status: { status: TraceStatus };
    /** Shows a line and what is in it. */
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
  };
  requests: {
    /** The lines of a range of positions. */
    rows: { body: { from: number; to: number }; reply: { rows: TraceRow[] } };
    details: { body: { seq: number }; reply: { details?: TraceDetails } };
    /** Where a line stands; absent when the filter leaves it out. */
    find: { body: { seq: number }; reply: { position?: number } };
    /** Sends a request once more, with other parameters. `problem`: what is wrong with them; nothing was sent. */
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
  /** Position of the oldest line, and one after that of the newest. Positions begin anew with another filter. */
  first: number;
  end: number;
  /** Lines held, whether they pass the filter or not. */
  held: number;
  /** Older lines that had to make room. */
  forgotten: number;
  isScanning: boolean;
  isPaused: boolean;
  /** Lines that came since the pause. */
  waiting: number;
  /** Methods to choose from; harmless as text. */
  methods: readonly string[];
  filter: PageFilter;
}

export type TraceSource =
  | { kind: 'none' }
  | { kind: 'server'; id: string; isCapturing: boolean; isRunning: boolean }
  /** `note`: what is odd about the file. */
  | { kind: 'file'; name: string; note?: string };

/** One line of the list; every text is harmless, short and without secrets. */
export interface TraceRow {
  position: number;
  seq: number;
  time: string;
  direction: 'sent' | 'received';
  kind: 'request' | 'response' | 'notification' | 'invalid' | 'note';
  isError: boolean;
  /** A request of which the answer is an error, has not come yet, or cannot come any more. */
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
  /** The other half, where both are held. */
  pair?: TraceMessage;
  /** Present where it is a request of ours that may be sent again: its parameters as JSON. */
  params?: string;
  /** Some of the parameters were secrets and have to be typed anew. */
  isMasked: boolean;
}

export interface TraceMessage {
  seq: number;
  kind: TraceRow['kind'];
  direction: 'sent' | 'received';
  id: string;
  facts: readonly { name: string; value: string }[];
  /** Absent for what is no JSON. */
  json?: JsonNode;
  /** What is no JSON. */
  text?: string;
}

const maxTextLength = 1_000;
const maxParamsLength = 1 << 20;
/** Rows asked for at once. */
const maxRows = 500;

export const traceFromPageGuards: Guards<TraceFromPage> = {
  notices: {
    ready: isObject,
    filter: (body): body is { filter: PageFilter } => isObject(body) && isFilter(body['filter']),
    pause: (body): body is { isPaused: boolean } => isObject(body) && typeof body['isPaused'] === 'boolean',
    act: (body): body is { action: TraceAction } =>
      isObject(body) && traceActions.some((action) => action === body['action']),
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
