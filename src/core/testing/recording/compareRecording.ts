/**
 * Sends the recorded requests to a running server again, and compares its answers with the recorded ones. The server's
 * questions get the recorded answers. Fields of the protocol, such as hints for caches, are not compared.
 */
import { t } from '@vscode/l10n';
import { sizeText } from '../../../shared/amountText.js';
import { isObject, without } from '../../base/guards.js';
import { HostError, isCancelled } from '../../base/hostError.js';
import { withSortedKeys } from '../../base/jsonText.js';
import { valueCost } from '../../base/valueCost.js';
import type { CallOptions } from '../../catalog/hostTypes.js';
import type { HostApi } from '../../host/hostApi.js';
import { failureText } from '../../present/failure/failureText.js';
import { ErrorCode, ProtocolError } from '../../protocol/jsonRpc.js';
import type { CreateMessageResult, ElicitResult, Root } from '../../protocol/mcp.js';
import type { ServerRequestHandlers } from '../../session/serverRequests.js';
import { wholeList } from '../runStep.js';
import type { JsonDifference } from './jsonDifferences.js';
import { jsonDifferences } from './jsonDifferences.js';
import { firstListing, isListMethod } from './recordedLists.js';
import type { RecordedAnswer, RecordedAsk, RecordedRequest, Recording } from './recordingModel.js';
import { requestsOf } from './recordingModel.js';
import { bodyOf } from './requestKey.js';

type Params = Record<string, unknown>;

export interface CompareOptions {
  host: Pick<HostApi, 'calls'>;
  /** The ID of the running server. */
  server: string;
  signal: AbortSignal;
  /** Called before each request. */
  onRequest?: (request: RecordedRequest, index: number, count: number) => void;
}

/** A recorded request with its current outcome. */
export interface ComparedRequest {
  request: RecordedRequest;
  /**
   * The recorded messages of the server: its questions and its answer. Keys are sorted.
   */
  expected: unknown;
  /**
   * The current messages of the server, in the same form. If there are no differences, this is the object of
   * `expected`. If the messages need too much memory, this is a text that says so.
   */
  actual: unknown;
  differences: readonly JsonDifference[];
}

/**
 * The methods that a comparison sends. The other methods of a recording can have any effect, and the questions and
 * rules about calls of tools do not cover them.
 */
const sentMethods: ReadonlySet<string> = new Set([
  'completion/complete',
  'logging/setLevel',
  'ping',
  'prompts/get',
  'prompts/list',
  'resources/list',
  'resources/read',
  'resources/subscribe',
  'resources/templates/list',
  'resources/unsubscribe',
  'tools/call',
  'tools/list',
]);

export interface Comparison {
  compared: readonly ComparedRequest[];
  /** Requests that are not sent, because parts of them were redacted, or because of their method. */
  skipped: readonly RecordedRequest[];
}

/** The tools that the recording calls, with the number of calls. */
export function calledTools(recording: Recording): Map<string, number> {
  const calls = new Map<string, number>();
  for (const { request, params } of requestsOf(recording)) {
    const name = params['name'];
    if (request === 'tools/call' && typeof name === 'string') calls.set(name, (calls.get(name) ?? 0) + 1);
  }
  return calls;
}

/**
 * Memory limit of the differing answers of one comparison, bytes. Beyond the limit, only the paths of differences are
 * kept.
 */
const maxKeptBytes = 64_000_000;

/**
 * Sends the requests of the recording. Rejects if it is canceled. A failure of a request, for example because the
 * server has ended, is compared as the answer.
 */
export async function compareRecording(recording: Recording, options: CompareOptions): Promise<Comparison> {
  const all = requestsOf(recording);
  const compared: ComparedRequest[] = [];
  const skipped: RecordedRequest[] = [];
  let keptBytes = 0;
  // A listing is compared as a whole, because cursors belong to one process.
  const sent = all.flatMap((request, place) =>
    isListMethod(request.request) && request.params['cursor'] !== undefined ? [] : [{ request, place }],
  );
  for (const [index, { request, place }] of sent.entries()) {
    options.signal.throwIfAborted();
    if (!sentMethods.has(request.request) || request.redacted?.some((path) => path.startsWith('/params/'))) {
      skipped.push(request);
      continue;
    }
    options.onRequest?.(request, index, sent.length);
    const one = await compareOne(request, expectedOf(request, all, place), options);
    if (one.differences.length > 0) keptBytes += valueCost(one.actual, maxKeptBytes);
    compared.push(keptBytes <= maxKeptBytes ? one : withoutAnswer(one));
  }
  return { compared, skipped };
}

interface Seen {
  asks: unknown[];
  answer: RecordedAnswer;
}

/** @param index the index of the request in `all`. */
function expectedOf(request: RecordedRequest, all: readonly RecordedRequest[], index: number): Seen {
  const { request: method, during = [], result, error } = request;
  const asks = during.flatMap((event) => ('ask' in event ? [question(event.ask, event.params)] : []));
  if (error) return { asks, answer: { error } };
  if (!isListMethod(method)) return { asks, answer: { result: bodyOf(result) } };
  const member = memberOf(method);
  const listing = firstListing(method, all.slice(index));
  const body = without(bodyOf(result), 'nextCursor');
  return {
    asks,
    answer: { result: { ...body, ...(listing && 'items' in listing ? { [member]: listing.items } : {}) } },
  };
}

async function compareOne(request: RecordedRequest, expected: Seen, options: CompareOptions): Promise<ComparedRequest> {
  const actual = await send(request, options);
  const left = documentOf(expected);
  const right = documentOf(actual);
  const differences = jsonDifferences(left, right);
  return { request, expected: left, actual: differences.length === 0 ? left : right, differences };
}

function withoutAnswer({ request, expected, differences }: ComparedRequest): ComparedRequest {
  if (differences.length === 0) return { request, expected, actual: expected, differences };
  const actual = t(
    'This answer is not shown, because the answers that differ are larger than {0} in total.',
    sizeText(maxKeptBytes),
  );
  return { request, expected, actual, differences: differences.map((one) => ({ ...one, actual })) };
}

function documentOf({ asks, answer }: Seen): unknown {
  return withSortedKeys({ ...(asks.length > 0 ? { asks } : {}), ...answer });
}

async function send(recorded: RecordedRequest, { host, server, signal }: CompareOptions): Promise<Seen> {
  const asks: unknown[] = [];
  const options: CallOptions = {
    signal,
    origin: { caller: {}, handlers: recordedHandlers(recorded, asks) },
    onProgress: () => undefined,
    onOutputProblems: () => undefined,
  };
  try {
    const result = await answered(recorded, host, server, options);
    return { asks, answer: { result: bodyOf(isObject(result) ? result : {}) } };
  } catch (error) {
    if (isCancelled(error) || signal.aborted) throw error;
    if (error instanceof ProtocolError) {
      const { code, message, data } = error;
      return { asks, answer: { error: { code, message, ...(data === undefined ? {} : { data }) } } };
    }
    if (!(error instanceof HostError)) throw error;
    return { asks, answer: { error: { code: ErrorCode.internalError, message: failureText(error, server).what } } };
  }
}

function answered(
  { request: method, params }: RecordedRequest,
  { calls }: Pick<HostApi, 'calls'>,
  server: string,
  options: CallOptions,
): Promise<unknown> {
  const request = (name: string, values: Params) =>
    calls.sendRequest({ server, method: name, params: values }, options);
  if (isListMethod(method)) return wholeList(method, memberOf(method), undefined, request);
  if (method === 'tools/call' && typeof params['name'] === 'string')
    return calls.runTool(
      { server, tool: params['name'], arguments: isObject(params['arguments']) ? params['arguments'] : {} },
      { ...options, caller: 'script', isApi: true },
    );
  return request(method, params);
}

/** A question for the comparison, without what differs between revisions and processes. */
function question(ask: string, params: Params): unknown {
  const isForm = params['mode'] === 'form';
  return { ask, params: without(params, 'elicitationId', '_meta', ...(isForm ? ['mode'] : [])) };
}

/**
 * Answers the questions of the server as the recorded client did, each kind in its order. Refuses questions that need
 * too much memory together, because they are kept for the comparison.
 */
function recordedHandlers({ during = [] }: RecordedRequest, asks: unknown[]): ServerRequestHandlers {
  let keptBytes = 0;
  const left = during.filter((event): event is RecordedAsk => 'ask' in event);
  const next = (ask: RecordedAsk['ask'], params: object, key: string | undefined): Params => {
    keptBytes += valueCost(params, maxKeptBytes);
    if (keptBytes > maxKeptBytes)
      throw new ProtocolError(ErrorCode.internalError, 'The questions of this request are too large together.');
    asks.push(question(ask, params as Params));
    const named = left.findIndex((one) => one.ask === ask && (key === undefined || one.name === key));
    const index = named >= 0 ? named : left.findIndex((one) => one.ask === ask);
    const [found] = index >= 0 ? left.splice(index, 1) : [];
    if (found?.answer?.result) return found.answer.result;
    const { code, message, data } = found?.answer?.error ?? {
      code: ErrorCode.internalError,
      message: 'The recording has no answer to this question.',
    };
    throw new ProtocolError(code, message, data);
  };
  return {
    elicit: async (asked, _signal, key) => next('elicitation/create', asked, key) as unknown as ElicitResult,
    createMessage: async (asked, _signal, key) =>
      next('sampling/createMessage', asked, key) as unknown as CreateMessageResult,
    roots: async (_signal, key) => next('roots/list', {}, key)['roots'] as Root[],
  };
}

function memberOf(method: string): string {
  return method === 'resources/templates/list' ? 'resourceTemplates' : (method.split('/')[0] ?? '');
}
