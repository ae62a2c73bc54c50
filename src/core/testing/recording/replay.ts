import type { CallerLife } from '../../base/callerLife.js';
import type { Clock } from '../../base/clock.js';
import { delay } from '../../base/clock.js';
import type { Emitter } from '../../base/event.js';
import type { CallSignal } from '../../base/lightAbort.js';
import { isObject, without } from '../../base/guards.js';
import { ErrorCode, ProtocolError } from '../../protocol/jsonRpc.js';
import type { CreateMessageRequest, ElicitRequest, LoggingLevel } from '../../protocol/mcp.js';
import { loggingLevels } from '../../protocol/mcp.js';
import type { RequestContext } from '../../serving/requestContext.js';
import { jsonDifferences } from './jsonDifferences.js';
import { described, RecordedAnswers } from './recordedAnswers.js';
import type { Listing, ListMethod } from './recordedLists.js';
import { listingsOf } from './recordedLists.js';
import type {
  RecordedAnswer,
  RecordedAsk,
  RecordedNotification,
  RecordedRequest,
  Recording,
} from './recordingModel.js';
import { isRequest, requestsOf } from './recordingModel.js';
import { bodyOf } from './requestKey.js';

type Params = Record<string, unknown>;

/** The changes that a mock reports to its clients: of lists, and of a resource by its URI. */
export interface MockChanges {
  tools: Emitter<void>;
  resources: Emitter<void>;
  prompts: Emitter<void>;
  updates: Emitter<string>;
}

interface ReplayOptions {
  isStrict: boolean;
  hasLatency: boolean;
  clock: Clock;
  changes: MockChanges;
}

/** Replays the requests of a recording, for each client from the beginning. */
export class Replay {
  readonly answers: RecordedAnswers;
  private readonly lists = new Map<ListMethod, Listing[]>();
  /** How often a client sent each request. The key is the first equal recorded request, or the method of a list. */
  private readonly counts = new WeakMap<CallerLife, Map<RecordedRequest | ListMethod, number>>();
  /** The notifications between a request and the next one. */
  private readonly following = new Map<RecordedRequest, RecordedNotification[]>();

  constructor(
    recording: Recording,
    private readonly options: ReplayOptions,
  ) {
    const requests = requestsOf(recording);
    this.answers = new RecordedAnswers(requests, options.isStrict);
    for (const method of ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'] as const)
      this.lists.set(method, listingsOf(method, requests));
    let last: RecordedRequest | undefined;
    for (const line of recording.lines) {
      if (isRequest(line)) {
        last = line;
        continue;
      }
      const after = last && this.following.get(last);
      if (after) after.push(line);
      else if (last) this.following.set(last, [line]);
    }
  }

  listings(method: ListMethod): readonly Listing[] {
    return this.lists.get(method) ?? [];
  }

  /** The next recorded listing for the client. Throws the recorded error. */
  list(method: ListMethod, { life }: RequestContext): readonly Params[] {
    const all = this.listings(method);
    const listing = all[Math.min(this.count(life, method), all.length - 1)];
    if (listing && 'error' in listing) throw listing.error;
    return listing?.items ?? [];
  }

  /**
   * Replays a request until its answer.
   * @returns the recorded result, without the fields that the protocol adds. Throws ProtocolError for a recorded error,
   * for a request that is not in the recording, and for what the strict mode refuses.
   */
  async answer(method: string, params: Params, context: RequestContext): Promise<Params> {
    const found = this.answers.find(method, params);
    const [first] = found;
    const count = this.count(context.life, first);
    let recorded = found[Math.min(count, found.length - 1)] ?? first;
    let now = 0;
    for (let index = 0; index < (recorded.during?.length ?? 0);) {
      const event = recorded.during?.[index];
      if (!event) break;
      await this.wait(event.at - now, context.signal);
      now = event.at;
      if ('ask' in event) {
        const { asks, chosen } = await this.askRound(recorded, index, found, context);
        recorded = chosen;
        index += asks.length;
        now = Math.max(now, ...asks.map(({ answeredAt = 0 }) => answeredAt));
        continue;
      }
      if ('progress' in event) context.progress(event.progress);
      else this.notify(event, context);
      index++;
    }
    await this.wait(recorded.ms - now, context.signal);
    this.notifyLater(recorded);
    if (recorded.error) throw errorFor(recorded.error, context);
    return bodyOf(recorded.result);
  }

  /** Asks the questions that were open at the same time, and chooses the recorded request with the given answers. */
  private async askRound(
    recorded: RecordedRequest,
    index: number,
    found: readonly RecordedRequest[],
    context: RequestContext,
  ): Promise<{ asks: readonly RecordedAsk[]; chosen: RecordedRequest }> {
    const asks = roundAt(recorded, index);
    const given = await Promise.all(asks.map((ask) => this.ask(ask, context)));
    const fits = (one: RecordedRequest) =>
      roundAt(one, index).length === asks.length &&
      roundAt(one, index).every(
        (ask, at) =>
          jsonDifferences(ask.params, asks[at]?.params, 1).length === 0 &&
          jsonDifferences(ask.answer, given[at], 1).length === 0,
      );
    if (fits(recorded)) return { asks, chosen: recorded };
    const other = found.find(fits);
    if (!other && this.options.isStrict)
      throw new ProtocolError(
        ErrorCode.invalidParams,
        `The answer to ${asks[0]?.ask ?? ''} during ${described(recorded.request, recorded.params)} differs from the ` +
          'recorded one, and the mock is strict.',
      );
    return { asks, chosen: other ?? recorded };
  }

  private async ask({ ask, params, name, answer }: RecordedAsk, context: RequestContext): Promise<RecordedAnswer> {
    try {
      switch (ask) {
        case 'elicitation/create':
          return given(await context.elicit({ mode: 'form', ...params } as ElicitRequest, name));
        case 'sampling/createMessage':
          return given(await context.sample(params as unknown as CreateMessageRequest, name));
        case 'roots/list':
          return given({ roots: await context.listRoots(name) });
      }
    } catch (error) {
      // The client refuses the question, as the recorded client did.
      if (!context.signal.aborted && error instanceof ProtocolError && answer?.error) return answer;
      throw error;
    }
  }

  private notify({ notification, params }: RecordedNotification, context?: RequestContext): void {
    const { changes } = this.options;
    const { level, data, logger, uri } = params;
    if (notification === 'notifications/message') {
      if (loggingLevels.includes(level as LoggingLevel))
        context?.log(level as LoggingLevel, data, typeof logger === 'string' ? logger : undefined);
    } else if (notification === 'notifications/resources/updated') {
      if (typeof uri === 'string') changes.updates.fire(uri);
    } else if (notification === 'notifications/tools/list_changed') changes.tools.fire();
    else if (notification === 'notifications/resources/list_changed') changes.resources.fire();
    else if (notification === 'notifications/prompts/list_changed') changes.prompts.fire();
  }

  /** Sends the notifications that came between the answer and the next request. */
  private notifyLater(recorded: RecordedRequest): void {
    const { clock, hasLatency } = this.options;
    for (const event of this.following.get(recorded) ?? []) {
      const ms = hasLatency ? event.at - recorded.at - recorded.ms : 0;
      clock.after(Math.max(0, ms), () => this.notify(event));
    }
  }

  /** How often the client has sent the request before. */
  private count(life: CallerLife, key: RecordedRequest | ListMethod): number {
    const counts = this.counts.get(life) ?? new Map<RecordedRequest | ListMethod, number>();
    this.counts.set(life, counts);
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    return count;
  }

  private async wait(ms: number, signal: CallSignal): Promise<void> {
    if (this.options.hasLatency && ms > 0) await delay(this.options.clock, ms, signal);
  }
}

function roundAt({ during = [] }: RecordedRequest, index: number): RecordedAsk[] {
  const asks: RecordedAsk[] = [];
  for (const event of during.slice(index)) {
    if (!('ask' in event) || (asks[0] && event.round !== asks[0].round)) break;
    asks.push(event);
  }
  return asks;
}

function given(result: object): RecordedAnswer {
  return { result: without(result as Params, '_meta') };
}

/** The recorded error. The code for an unknown resource differs between the eras. */
function errorFor(
  { code, message, data }: NonNullable<RecordedAnswer['error']>,
  { era }: RequestContext,
): ProtocolError {
  const isOther = era === 'modern' && code === ErrorCode.resourceNotFound && isObject(data);
  return new ProtocolError(isOther ? ErrorCode.invalidParams : code, message, data);
}
