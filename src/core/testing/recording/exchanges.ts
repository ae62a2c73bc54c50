/**
 * Combines the messages of one connection into requests, each with the messages until its answer. A message that names
 * no request, such as a question of the legacy era, belongs to the latest request that is still open.
 */
import { isObject, without } from '../../base/guards.js';
import type { RequestId } from '../../protocol/jsonRpc.js';
import type { Progress } from '../../protocol/mcp.js';
import type { RecordedAnswer, RecordedAsk, RecordedEvent, RecordedNotification } from './recordingModel.js';
import { recordedQuestions, unrecorded } from './recordingModel.js';

type Params = Record<string, unknown>;

/** A message as it was, and as it may be stored. */
export interface RecordedMessage {
  /** ms since the epoch. */
  at: number;
  isSent: boolean;
  raw: Params;
  masked: Params;
  /** The paths of the parts that were masked. */
  redacted: readonly string[];
}

/** A request that is open or answered. Times are in ms since the epoch. */
export interface Exchange {
  at: number;
  method: string;
  params: Params;
  answer?: RecordedAnswer;
  answeredAt?: number;
  during: RecordedEvent[];
  redacted: string[];
}

/** A notification that arrived while no request was open, as a line of the recording. */
export interface LoneNotification extends RecordedNotification {
  isLone: true;
}

const ignoredNotifications: ReadonlySet<string> = new Set([
  'notifications/initialized',
  'notifications/cancelled',
  'notifications/subscriptions/acknowledged',
]);

export class Exchanges {
  readonly lines: (Exchange | LoneNotification)[] = [];
  /** The result of the last handshake. */
  handshake: { isModern: boolean; result: Params } | undefined;
  private readonly open = new Map<RequestId, Exchange>();
  private readonly handshakes = new Map<RequestId, string>();
  private readonly byToken = new Map<unknown, Exchange>();
  /** The requests that wait for their next round, by the state that the server gave them. */
  private readonly byState = new Map<string, Exchange>();
  private readonly asks = new Map<RequestId, { ask: RecordedAsk; exchange: Exchange }>();

  /** Forgets everything that is open, because request IDs start again on a new connection. */
  restart(): void {
    for (const table of [this.open, this.handshakes, this.byToken, this.byState, this.asks]) table.clear();
  }

  add(message: RecordedMessage): void {
    const { raw } = message;
    const method = typeof raw['method'] === 'string' ? raw['method'] : undefined;
    const id = raw['id'] as RequestId | undefined;
    if (method === undefined) {
      if (id !== undefined) this.addAnswer(id, message);
    } else if (id === undefined) {
      if (!message.isSent) this.addNotification(method, message);
    } else if (message.isSent) this.addRequest(id, method, message);
    else if (recordedQuestions.has(method)) this.addAsk(id, method, message);
  }

  private addRequest(id: RequestId, method: string, message: RecordedMessage): void {
    if (unrecorded.has(method)) {
      if (method === 'initialize' || method === 'server/discover') this.handshakes.set(id, method);
      return;
    }
    const params = paramsOf(message.raw);
    const meta = isObject(params['_meta']) ? params['_meta'] : {};
    const exchange = this.continued(params, message) ?? this.begun(method, message);
    this.open.set(id, exchange);
    if (meta['progressToken'] !== undefined) this.byToken.set(meta['progressToken'], exchange);
  }

  private begun(method: string, { at, masked, redacted }: RecordedMessage): Exchange {
    const kept = redacted.filter((path) => path.startsWith('/params/') && !path.startsWith('/params/_meta'));
    const exchange: Exchange = { at, method, params: paramsOf(masked), during: [], redacted: kept };
    this.lines.push(exchange);
    return exchange;
  }

  /** The request that this round continues, with the answers of the round (2026-07-28, basic/patterns/mrtr). */
  private continued(params: Params, { at, masked, redacted }: RecordedMessage): Exchange | undefined {
    const state = params['requestState'];
    const exchange = typeof state === 'string' ? this.byState.get(state) : undefined;
    if (!exchange) return undefined;
    this.byState.delete(state as string);
    const responses = paramsOf(masked)['inputResponses'];
    exchange.during.forEach((event, index) => {
      if (!('ask' in event) || event.answer || event.name === undefined) return;
      const given = isObject(responses) && Object.hasOwn(responses, event.name) ? responses[event.name] : undefined;
      if (!isObject(given)) return;
      event.answer = { result: given };
      event.answeredAt = at - exchange.at;
      const from = `/params/inputResponses/${event.name}/`;
      for (const path of redacted)
        if (path.startsWith(from)) exchange.redacted.push(`/during/${index}/answer/result/${path.slice(from.length)}`);
    });
    return exchange;
  }

  private addAnswer(id: RequestId, message: RecordedMessage): void {
    if (message.isSent) {
      const asked = this.asks.get(id);
      this.asks.delete(id);
      const answer = answerOf(message.masked);
      if (!asked || !answer) return;
      const { ask, exchange } = asked;
      ask.answer = answer;
      ask.answeredAt = message.at - exchange.at;
      const place = `/during/${exchange.during.indexOf(ask)}/answer`;
      exchange.redacted.push(...message.redacted.map((path) => place + path));
      return;
    }
    const handshake = this.handshakes.get(id);
    const answer = answerOf(message.masked);
    if (handshake !== undefined) {
      this.handshakes.delete(id);
      if (answer?.result) this.handshake = { isModern: handshake === 'server/discover', result: answer.result };
      return;
    }
    const exchange = this.open.get(id);
    this.open.delete(id);
    if (!exchange || !answer) return;
    if (answer.result?.['resultType'] === 'input_required') {
      this.addRound(exchange, message);
      return;
    }
    exchange.answer = answer;
    exchange.answeredAt = message.at;
    exchange.redacted.push(...message.redacted);
  }

  /** The questions of an `input_required` result. The next request with its state continues the exchange. */
  private addRound(exchange: Exchange, { at, raw, masked, redacted }: RecordedMessage): void {
    const result = isObject(masked['result']) ? masked['result'] : {};
    const state = isObject(raw['result']) ? raw['result']['requestState'] : undefined;
    if (typeof state === 'string') this.byState.set(state, exchange);
    const round = nextRound(exchange);
    for (const [name, asked] of Object.entries(isObject(result['inputRequests']) ? result['inputRequests'] : {})) {
      const method = isObject(asked) ? asked['method'] : undefined;
      if (!isObject(asked) || typeof method !== 'string' || !recordedQuestions.has(method)) continue;
      const from = `/result/inputRequests/${name}`;
      const place = `/during/${exchange.during.length}`;
      for (const path of redacted)
        if (path.startsWith(`${from}/params`)) exchange.redacted.push(place + path.slice(from.length));
      exchange.during.push({
        at: at - exchange.at,
        ask: method as RecordedAsk['ask'],
        params: without(paramsOf(asked), '_meta'),
        name,
        round,
      });
    }
  }

  private addAsk(id: RequestId, method: string, { at, masked, redacted }: RecordedMessage): void {
    const exchange = this.latestOpen();
    if (!exchange) return;
    const isAsking = [...this.asks.values()].some((asked) => asked.exchange === exchange);
    const ask: RecordedAsk = {
      at: at - exchange.at,
      ask: method as RecordedAsk['ask'],
      params: without(paramsOf(masked), '_meta'),
      round: isAsking ? nextRound(exchange) - 1 : nextRound(exchange),
    };
    exchange.redacted.push(...redacted.map((path) => `/during/${exchange.during.length}${path}`));
    exchange.during.push(ask);
    this.asks.set(id, { ask, exchange });
  }

  private addNotification(method: string, { at, raw, masked, redacted }: RecordedMessage): void {
    if (ignoredNotifications.has(method)) return;
    const params = without(paramsOf(masked), '_meta');
    if (method === 'notifications/progress') {
      const exchange = this.byToken.get(paramsOf(raw)['progressToken']);
      if (!exchange || exchange.answer || typeof params['progress'] !== 'number') return;
      const progress = Object.fromEntries(
        Object.entries(params).filter(([name]) => name === 'progress' || name === 'total' || name === 'message'),
      );
      exchange.during.push({ at: at - exchange.at, progress: progress as unknown as Progress });
      return;
    }
    const exchange = this.latestOpen();
    if (!exchange) {
      this.lines.push({ at, notification: method, params, isLone: true });
      return;
    }
    exchange.redacted.push(...redacted.map((path) => `/during/${exchange.during.length}${path}`));
    exchange.during.push({ at: at - exchange.at, notification: method, params });
  }

  private latestOpen(): Exchange | undefined {
    return [...this.open.values()].at(-1);
  }
}

function nextRound({ during }: Exchange): number {
  return 1 + during.reduce((last, event) => ('ask' in event ? Math.max(last, event.round) : last), 0);
}

function answerOf({ result, error }: Params): RecordedAnswer | undefined {
  if (isObject(result)) return { result };
  if (!isObject(error) || typeof error['code'] !== 'number') return undefined;
  const { code, message, data } = error;
  return {
    error: { code, message: typeof message === 'string' ? message : '', ...(data === undefined ? {} : { data }) },
  };
}

function paramsOf({ params }: Params): Params {
  return isObject(params) ? params : {};
}
