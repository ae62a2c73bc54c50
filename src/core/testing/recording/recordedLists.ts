import { isObject } from '../../base/guards.js';
import { ProtocolError } from '../../protocol/jsonRpc.js';
import type { RecordedRequest } from './recordingModel.js';

/** One complete listing: the items of all its pages, or the error that the server answered. */
export type Listing = { items: readonly Record<string, unknown>[] } | { error: ProtocolError };

/** The lists of the protocol: the method, the member of the result, and the member that identifies an item. */
const lists = {
  'tools/list': ['tools', 'name'],
  'resources/list': ['resources', 'uri'],
  'resources/templates/list': ['resourceTemplates', 'uriTemplate'],
  'prompts/list': ['prompts', 'name'],
} as const;

export type ListMethod = keyof typeof lists;

/** Whether a method lists the features of a server. */
export function isListMethod(method: string): method is ListMethod {
  return Object.hasOwn(lists, method);
}

/** The listings of one list, in recorded order. Items without their name or URI are left out. */
export function listingsOf(method: ListMethod, requests: readonly RecordedRequest[]): Listing[] {
  return [...eachListing(method, requests)];
}

/** The first listing of one list; undefined if there is none. */
export function firstListing(method: ListMethod, requests: Iterable<RecordedRequest>): Listing | undefined {
  for (const listing of eachListing(method, requests)) return listing;
  return undefined;
}

function* eachListing(method: ListMethod, requests: Iterable<RecordedRequest>): Generator<Listing> {
  const [member, identity] = lists[method];
  /** The listing that the next page may continue. */
  let items: Record<string, unknown>[] | undefined;
  for (const { request, params, result, error } of requests) {
    if (request !== method) continue;
    if (error) {
      if (items) yield { items };
      items = undefined;
      yield { error: new ProtocolError(error.code, error.message, error.data) };
      continue;
    }
    const listed = Array.isArray(result[member]) ? (result[member] as unknown[]) : [];
    // A request with a cursor continues the listing before it.
    if (items && params['cursor'] === undefined) {
      yield { items };
      items = undefined;
    }
    items ??= [];
    for (const item of listed) if (isObject(item) && typeof item[identity] === 'string') items.push(item);
  }
  if (items) yield { items };
}
