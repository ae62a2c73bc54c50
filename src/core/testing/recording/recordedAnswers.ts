/** Finds the recorded request whose answer is sent for a client's request. */
import { visibleLine } from '../../base/hostileText.js';
import { nearestName } from '../../base/editDistance.js';
import { jsonText } from '../../base/jsonText.js';
import { ErrorCode, ProtocolError } from '../../protocol/jsonRpc.js';
import { jsonDifferences } from './jsonDifferences.js';
import type { RecordedRequest } from './recordingModel.js';
import { normalizedParams, requestKey } from './requestKey.js';

type Params = Record<string, unknown>;

/** Maximum number of recorded requests that are compared to find the nearest one. */
const maxCompared = 200;

/** Maximum length of parameters in a message, in characters. */
const maxShown = 300;

export class RecordedAnswers {
  private readonly byKey = new Map<string, RecordedRequest[]>();
  private readonly byMethod = new Map<string, RecordedRequest[]>();
  private readonly redacted: readonly RecordedRequest[];

  /** @param isStrict whether requests whose recording has redacted parts are refused. */
  constructor(
    requests: readonly RecordedRequest[],
    private readonly isStrict: boolean,
  ) {
    for (const one of requests) {
      push(this.byKey, requestKey(one.request, one.params), one);
      push(this.byMethod, one.request, one);
    }
    this.redacted = requests.filter(({ redacted = [] }) => redacted.some((path) => path.startsWith('/params/')));
  }

  get methods(): Iterable<string> {
    return this.byMethod.keys();
  }

  ofMethod(method: string): readonly RecordedRequest[] {
    return this.byMethod.get(method) ?? [];
  }

  /**
   * The recorded requests with this method and these parameters, in recorded order. A redacted part of a recorded
   * request matches any value. Throws ProtocolError, which names the nearest recorded request, if there is none.
   */
  find(method: string, params: Params): readonly [RecordedRequest, ...RecordedRequest[]] {
    const found = this.byKey.get(keyOf(method, params)) ?? this.fitting(method, params);
    const [first, ...others] = found;
    if (!first) throw this.unknown(method, params);
    const [hidden] = this.isStrict ? found.flatMap(({ redacted = [] }) => redacted) : [];
    if (hidden !== undefined)
      throw new ProtocolError(
        ErrorCode.invalidParams,
        `The recording of ${described(method, params)} has a redacted value at ${visibleLine(hidden, 100)}, and the mock is ` +
          'strict. Start the mock without strict mode, or record the request without secrets.',
      );
    return [first, ...others];
  }

  private fitting(method: string, params: Params): RecordedRequest[] {
    const normalized = normalizedParams(method, params);
    return this.redacted.filter(
      (one) => one.request === method && jsonDifferences(one.params, normalized, 1).length === 0,
    );
  }

  private unknown(method: string, params: Params): ProtocolError {
    const what = `The recording has no answer to ${described(method, params)}.`;
    const nearest = this.nearest(method, params);
    if (!nearest)
      return new ProtocolError(
        this.byMethod.has(method) ? ErrorCode.invalidParams : ErrorCode.methodNotFound,
        `${what} It has no request with this method.`,
      );
    const [first] = jsonDifferences(nearest.params, normalizedParams(method, params), 1);
    const place = first ? `, which differs at ${visibleLine(first.path, 100)}` : '';
    return new ProtocolError(
      ErrorCode.invalidParams,
      `${what} The nearest recorded request is ${described(nearest.request, nearest.params)}${place}.`,
    );
  }

  /** The recorded request of the same method with the most similar name, and then with the fewest differences. */
  private nearest(method: string, params: Params): RecordedRequest | undefined {
    const all = this.ofMethod(method);
    const name = nameOf(params);
    const sameName = all.filter((one) => nameOf(one.params) === name);
    const similar = nearestName(name, new Set(all.map((one) => nameOf(one.params))));
    const rivals = sameName.length > 0 ? sameName : all.filter((one) => nameOf(one.params) === similar);
    const normalized = normalizedParams(method, params);
    let best: { request: RecordedRequest; count: number } | undefined;
    for (const request of (rivals.length > 0 ? rivals : all).slice(0, maxCompared)) {
      const count = jsonDifferences(request.params, normalized, best?.count ?? 50).length;
      if (!best || count < best.count) best = { request, count };
    }
    return best?.request;
  }
}

/** The text of a request in a message: its method, and its name or URI with its arguments, or else its parameters. */
export function described(method: string, params: Params): string {
  const name = nameOf(params);
  const rest = params['arguments'] ?? (name === '' ? params : undefined);
  const more = rest === undefined ? '' : jsonText(rest);
  return [
    visibleLine(method, 100),
    ...(name === '' ? [] : [`"${visibleLine(name, 200)}"`]),
    ...(more === '' || more === '{}' ? [] : [`with ${visibleLine(more, maxShown)}`]),
  ].join(' ');
}

function nameOf(params: Params): string {
  const name = params['name'] ?? params['uri'];
  return typeof name === 'string' ? name : '';
}

function keyOf(method: string, params: Params): string {
  try {
    return requestKey(method, params);
  } catch (error) {
    // Parameters that are nested too deeply for a key match no recorded request.
    if (error instanceof RangeError) return '';
    throw error;
  }
}

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const known = map.get(key);
  if (known) known.push(value);
  else map.set(key, [value]);
}
