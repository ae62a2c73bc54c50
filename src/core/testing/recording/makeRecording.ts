/** Makes a recording from a trace of a server. Secrets are replaced by dots. */
import { isObject } from '../../base/guards.js';
import { runInSlices } from '../../base/timeSlice.js';
import type { ServerFeatures } from '../../catalog/serverFeatures.js';
import type { Implementation, ServerCapabilities } from '../../protocol/mcp.js';
import { metaKeys } from '../../protocol/mcp.js';
import type { Redactor } from '../../trace/redactor.js';
import type { TraceLimits, TraceLog } from '../../trace/traceLog.js';
import type { TraceEntry } from '../../trace/traceMessage.js';
import { parsed } from '../../trace/traceMessage.js';
import type { Exchange, LoneNotification, RecordedMessage } from './exchanges.js';
import { Exchanges } from './exchanges.js';
import { jsonDifferences } from './jsonDifferences.js';
import type { RecordedHead, RecordedLine, RecordedRequest, Recording } from './recordingModel.js';
import { recordingFormat, recordingVersion } from './recordingModel.js';
import { normalizedParams } from './requestKey.js';

export interface RecordingSource {
  log: TraceLog;
  /** The name of the server in the configuration. */
  server: string;
  /** The secret values of the server. */
  secrets: readonly string[];
  /** The features of the running server, for a recording that began after the start. */
  features: ServerFeatures | undefined;
}

export interface MadeRecording {
  recording: Recording;
  /**
   * The number of requests without an answer, plus the number of messages that the trace contains only in part or no
   * longer contains.
   */
  skipped: number;
}

/** Limits of a recording: the number of messages, the characters of all messages, and the characters of one message. */
export const recordingLimits: Required<TraceLimits> = {
  maxEntries: 100_000,
  maxCharacters: 48 << 20,
  maxTextLength: 4 << 20,
};

/** Maximum number of redacted places that a line lists. */
const maxRedacted = 50;

/** The recording of all messages of the trace. Runs in short turns. */
export function makeRecording(source: RecordingSource): Promise<MadeRecording> {
  return runInSlices(steps(source));
}

function* steps({ log, server, secrets, features }: RecordingSource): Generator<undefined, MadeRecording> {
  const exchanges = new Exchanges();
  const { first, end } = log;
  const redactor = log.redactor(secrets);
  let unread = log.forgotten;
  for (let seq = first; seq < end; seq++) {
    yield;
    const entry = log.get(seq);
    if (entry?.kind === 'note' && /^opened /.test(entry.text)) exchanges.restart();
    if (!entry || entry.kind === 'note' || entry.kind === 'invalid') continue;
    const message = messageOf(entry, redactor);
    if (message) exchanges.add(message);
    else unread++;
  }
  const known = new Set(exchanges.lines.flatMap((line) => ('method' in line ? [line.method] : [])));
  const start = exchanges.lines[0]?.at ?? 0;
  const lines: RecordedLine[] = missingLists(known, features, redactor);
  let unanswered = 0;
  for (const line of exchanges.lines) {
    yield;
    const written = lineOf(line, start);
    if (written) lines.push(written);
    else unanswered++;
  }
  const head = headOf(exchanges, server, features, redactor);
  return { recording: { head, lines }, skipped: unread + unanswered };
}

function messageOf(entry: TraceEntry, redactor: Redactor): RecordedMessage | undefined {
  const raw = entry.cut === 0 ? parsed(entry.text) : undefined;
  if (!isObject(raw)) return undefined;
  const text = redactor.entry(entry);
  const masked = text === entry.text ? raw : parsed(text);
  if (!isObject(masked)) return undefined;
  const redacted = masked === raw ? [] : jsonDifferences(raw, masked, maxRedacted, () => false).map(({ path }) => path);
  return { at: entry.at, isSent: entry.direction === 'sent', raw, masked, redacted };
}

function lineOf(line: Exchange | LoneNotification, start: number): RecordedLine | undefined {
  if ('isLone' in line) return { at: ms(line.at - start), notification: line.notification, params: line.params };
  const { at, method, params, answer, answeredAt = at, during, redacted } = line;
  if (!answer) return undefined;
  const request: RecordedRequest = {
    at: ms(at - start),
    request: method,
    params: normalizedParams(method, params),
    ms: ms(answeredAt - at),
    ...answer,
  };
  if (during.length > 0)
    request.during = during.map((event) => ({
      ...event,
      at: ms(event.at),
      ...('ask' in event && event.answeredAt !== undefined ? { answeredAt: ms(event.answeredAt) } : {}),
    }));
  if (redacted.length > 0) request.redacted = redacted.slice(0, maxRedacted);
  return request;
}

/** The lists that the server sent before the recording began, as the host has them. */
function missingLists(
  known: ReadonlySet<string>,
  features: ServerFeatures | undefined,
  redactor: Redactor,
): RecordedRequest[] {
  if (!features) return [];
  const { tools, resources, resourceTemplates, prompts, identity } = features;
  const { capabilities } = identity;
  const lists: [string, boolean, Record<string, unknown>][] = [
    ['tools/list', capabilities.tools !== undefined, { tools }],
    ['resources/list', capabilities.resources !== undefined, { resources }],
    ['resources/templates/list', capabilities.resources !== undefined, { resourceTemplates }],
    ['prompts/list', capabilities.prompts !== undefined, { prompts }],
  ];
  return lists
    .filter(([method, isOffered]) => isOffered && !known.has(method))
    .map(([request, , result]) => ({ at: 0, request, params: {}, ms: 0, result: masked(result, redactor) }));
}

function headOf(
  { handshake }: Exchanges,
  server: string,
  features: ServerFeatures | undefined,
  redactor: Redactor,
): RecordedHead {
  const { identity } = features ?? {};
  const { result } = handshake ?? {};
  const meta = isObject(result?.['_meta']) ? result['_meta'] : {};
  const info = handshake?.isModern === true ? meta[metaKeys.serverInfo] : result?.['serverInfo'];
  const instructions = result?.['instructions'] ?? identity?.instructions;
  const isModern = handshake?.isModern ?? identity?.era === 'modern';
  const legacyRevision = typeof result?.['protocolVersion'] === 'string' ? result['protocolVersion'] : undefined;
  const head = {
    format: recordingFormat,
    version: recordingVersion,
    server,
    era: isModern ? 'modern' : 'legacy',
    revision: identity?.revision ?? legacyRevision ?? (isModern ? '2026-07-28' : '2025-11-25'),
    transport: identity?.transportKind ?? 'stdio',
    recordedAt: new Date().toISOString(),
    info: (isObject(info) ? info : (identity?.info ?? { name: server, version: '0' })) as Implementation,
    capabilities: (result?.['capabilities'] ?? identity?.capabilities ?? {}) as ServerCapabilities,
    ...(typeof instructions === 'string' ? { instructions } : {}),
  } as const;
  return masked(head, redactor) as unknown as RecordedHead;
}

function masked(value: object, redactor: Redactor): Record<string, unknown> {
  return JSON.parse(redactor.message(JSON.stringify(value))) as Record<string, unknown>;
}

function ms(value: number): number {
  return Math.max(0, Math.round(value * 10) / 10);
}
