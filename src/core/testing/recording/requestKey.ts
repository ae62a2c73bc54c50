/** Compares requests with recorded ones: by method and the parameters that decide the answer. */
import { isObject } from '../../base/guards.js';
import { canonicalJson, withSortedKeys } from '../../base/jsonText.js';
import { objectOf } from '../../base/objectCopy.js';
import { dots } from '../../base/secretFinder.js';
import { metaKeys } from '../../protocol/mcp.js';

type Params = Record<string, unknown>;

/** Parameters that belong to one exchange, and differ each time. */
const ofExchange: ReadonlySet<string> = new Set(['_meta', 'inputResponses', 'requestState', 'task']);

/** The parameters that decide the answer, with sorted names. Empty arguments are the same as none. */
export function normalizedParams(method: string, params: Params): Params {
  const kept = Object.entries(params).filter(([name, value]) => !ofExchange.has(name) && value !== undefined);
  const normalized = objectOf(kept);
  if ((method === 'tools/call' || method === 'prompts/get') && normalized['arguments'] === undefined)
    normalized['arguments'] = {};
  if (method === 'completion/complete' && isEmptyContext(normalized['context'])) delete normalized['context'];
  return withSortedKeys(normalized) as Params;
}

function isEmptyContext(context: unknown): boolean {
  if (!isObject(context)) return false;
  const known = context['arguments'];
  return known === undefined || (isObject(known) && Object.keys(known).length === 0);
}

/** Equal for requests that get the same answer. Throws RangeError for parameters that are nested too deeply. */
export function requestKey(method: string, params: Params): string {
  return `${method} ${canonicalJson(normalizedParams(method, params))}`;
}

/** The result without the fields that the protocol adds for one exchange: its type, hints for caches, the server. */
export function bodyOf(result: Params): Params {
  const { _meta } = result;
  const body = objectOf(
    Object.entries(result).filter(
      ([name, value]) =>
        name !== '_meta' &&
        name !== 'ttlMs' &&
        name !== 'cacheScope' &&
        !(name === 'resultType' && value === 'complete'),
    ),
  );
  const meta = isObject(_meta) ? Object.entries(_meta).filter(([name]) => name !== metaKeys.serverInfo) : [];
  return meta.length === 0 ? body : Object.assign(body, { _meta: objectOf(meta) });
}

/** Whether a recorded text contains a part that was redacted, so that it can have been any text. */
export function isRedacted(value: unknown): boolean {
  return typeof value === 'string' && value.includes(dots);
}
