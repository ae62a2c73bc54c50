/** The lines of a trace for display: limited in length, without secrets, and with hidden characters made visible. */
import { STATUS_CODES } from 'node:http';
import { t } from '@vscode/l10n';
import { isObject } from '../../base/guards.js';
import { argumentsText } from '../text/jsonPieces.js';
import { countHidden, countHiddenInJson, visibleLine, visibleText } from '../../base/hostileText.js';
import { traceparentOf } from '../../protocol/traceContext.js';
import type { Redactor } from '../../trace/redactor.js';
import type { TraceLog } from '../../trace/traceLog.js';
import type { TraceEntry } from '../../trace/traceMessage.js';
import { parsed } from '../../trace/traceMessage.js';
import type { TraceDetails, TraceMessage, TraceRow } from '../../../shared/tracePage.js';
import { flagged, hiddenWords } from '../text/hiddenText.js';
import { jsonNodesOf } from '../result/jsonNodes.js';
import { tracedCall } from './tracedCall.js';
import { sizeText } from '../../../shared/amountText.js';

const maxSummaryLength = 300;
/** Length of the part of a message's text that is read for its summary, in characters. */
const maxLookedAt = 4_000;
/** Requests that the user cannot send again, because they start a session or a stream that the host manages. */
const sessionRequests: ReadonlySet<string> = new Set(['initialize', 'subscriptions/listen']);
/** Members of `_meta` that are only valid for one particular request. */
const ownMeta = /^(?:progressToken$|io\.modelcontextprotocol\/)/;

/** One line of a trace for the list of the page. */
export function traceRow({ position, entry }: { position: number; entry: TraceEntry }, redactor: Redactor): TraceRow {
  const { seq, direction, kind, isError, method, latencyMs, size } = entry;
  const outcome =
    kind !== 'request'
      ? undefined
      : entry.pair === undefined
        ? entry.isLost === true
          ? 'lost'
          : 'open'
        : entry.hasFailed === true
          ? 'failed'
          : undefined;
  return {
    position,
    seq,
    time: clockText(entry.at),
    direction,
    kind,
    isError,
    ...(outcome ? { outcome } : {}),
    id: idText(entry, redactor),
    method: method === undefined ? '' : visibleLine(redactor.line(method), 80),
    summary: kind === 'note' ? flagged(noteText(entry, redactor), countHidden(entry.text)) : summaryOf(entry, redactor),
    latency: latencyMs === undefined ? '' : latencyText(latencyMs),
    size: kind === 'note' ? '' : sizeText(size),
  };
}

/**
 * The details of one line of a trace.
 * @param canResend whether the trace belongs to a server and not to a file.
 */
export function traceDetails(
  log: TraceLog,
  row: TraceRow,
  redactor: Redactor,
  canResend: boolean,
): TraceDetails | undefined {
  const entry = log.get(row.seq);
  if (!entry) return undefined;
  const pair = entry.pair === undefined ? undefined : log.get(entry.pair);
  const params = canResend ? resendParams(entry) : undefined;
  const masked = params === undefined ? undefined : redactedParams(entry, params, redactor);
  return {
    row,
    message: messageOf(entry, redactor),
    ...(pair ? { pair: messageOf(pair, redactor) } : {}),
    ...(masked === undefined ? {} : { params: argumentsText(JSON.parse(masked) as object) }),
    isMasked: masked !== params,
    isCall: tracedCall(log, row.seq, redactor) !== undefined,
  };
}

/**
 * The parameters of a sent request as JSON, without the members that are only valid for that request; undefined if it
 * cannot be sent again.
 */
export function resendParams({ kind, direction, method, text, cut }: TraceEntry): string | undefined {
  if (kind !== 'request' || direction !== 'sent' || cut > 0 || method === undefined || sessionRequests.has(method))
    return undefined;
  const message = parsed(text);
  const params = isObject(message) && isObject(message['params']) ? message['params'] : {};
  const { _meta: meta, ...rest } = params;
  const kept = isObject(meta) ? Object.entries(meta).filter(([name]) => !ownMeta.test(name)) : [];
  return JSON.stringify({ ...rest, ...(kept.length > 0 ? { _meta: Object.fromEntries(kept) } : {}) });
}

/** The parameters with the secrets of the message masked. */
function redactedParams(entry: TraceEntry, params: string, redactor: Redactor): string {
  return resendParams({ ...entry, text: redactor.entry(entry) }) ?? params;
}

function messageOf(entry: TraceEntry, redactor: Redactor): TraceMessage {
  const { seq, kind, direction, at, latencyMs, size, cut, status, fileLine } = entry;
  const text = redactor.entry(entry);
  const reading = kind === 'note' ? undefined : jsonNodesOf(text);
  const json = reading?.root;
  const hidden = reading?.hidden ?? countHidden(text);
  const facts = [
    { name: t('Time'), value: clockText(at) },
    ...(latencyMs === undefined ? [] : [{ name: t('Latency'), value: latencyText(latencyMs) }]),
    ...(kind === 'note' ? [] : [{ name: t('Size'), value: sizeText(size) }]),
    ...(status === undefined
      ? []
      : [{ name: t('HTTP status'), value: `${status} ${STATUS_CODES[status] ?? ''}`.trim() }]),
    ...traceContextOf(entry),
    ...(hidden === 0 ? [] : [{ name: t('Check carefully'), value: hiddenWords(hidden) }]),
    ...(fileLine === undefined ? [] : [{ name: t('Line in the file'), value: String(fileLine) }]),
    ...(cut > 0 ? [{ name: t('Not stored'), value: t('the last {0} characters', cut) }] : []),
    ...Object.entries(redactor.headers(entry)).map(([name, value]) => ({
      name: visibleLine(name, 80),
      value: visibleLine(value, 500),
    })),
  ];
  return {
    seq,
    kind,
    direction,
    id: idText(entry, redactor),
    facts,
    ...(json ? { json } : { text: kind === 'note' ? noteText(entry, redactor) : visibleText(text, 20_000) }),
  };
}

/** The trace context of a request. The requests of one operation of an agent have the same trace ID. */
function traceContextOf({ kind, text }: TraceEntry): { name: string; value: string }[] {
  if (kind !== 'request' || !text.includes('"traceparent"')) return [];
  const message = parsed(text);
  const params = isObject(message) && isObject(message['params']) ? message['params'] : {};
  const traceparent = traceparentOf(params['_meta']);
  return traceparent === undefined ? [] : [{ name: t('Trace context'), value: traceparent }];
}

function idText({ id }: TraceEntry, redactor: Redactor): string {
  return id === undefined ? '' : visibleLine(redactor.line(String(id)), 40);
}

function noteText({ text }: TraceEntry, redactor: Redactor): string {
  const said = visibleLine(redactor.line(text), maxSummaryLength);
  if (said === 'cancelled') return t('Canceled: the response is no longer needed');
  if (said.startsWith('no answer: ')) return t('No response: {0}', said.slice(11));
  if (said === 'closed') return t('Connection closed');
  if (said.startsWith('closed: ')) return t('Connection closed: {0}', said.slice(8));
  return said.startsWith('opened ') ? t('Connection opened ({0})', said.slice(7)) : said;
}

/** The parameters, the result or the error of a message, without the parts that have columns of their own. */
function summaryOf(entry: TraceEntry, redactor: Redactor): string {
  const { text, kind, cut } = entry;
  const isAll = cut === 0 && text.length <= maxLookedAt;
  const looked = redactor.head(entry, maxLookedAt);
  const head = kind === 'invalid' ? 0 : looked.search(/"(?:params|result|error)":/);
  const from = head < 0 ? looked.length : head === 0 ? 0 : head + looked.slice(head).indexOf(':') + 1;
  const rest = looked.slice(from);
  // The beginning of the message was removed, so its closing brace is removed, too.
  const shown = kind === 'invalid' || !isAll ? rest : rest.replace(/\}\s*$/, '');
  // Counts all hidden characters in the text that was read, including those in the method and in the part that this
  // column does not show.
  return flagged(visibleLine(shown, maxSummaryLength), countHiddenInJson(looked));
}

function latencyText(ms: number): string {
  return ms < 10 ? `${ms.toFixed(1)} ms` : ms < 10_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

/** The time of day in the local time zone, with milliseconds. */
function clockText(at: number): string {
  if (at === 0) return '';
  const date = new Date(at);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${String(date.getMilliseconds()).padStart(3, '0')}`;
}
