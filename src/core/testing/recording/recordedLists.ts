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

/** The listings of one list, in recorded order. Items without their name are left out. */
export function listingsOf(method: ListMethod, requests: readonly RecordedRequest[]): Listing[] {
  const [member, identity] = lists[method];
  const listings: Listing[] = [];
  for (const { request, params, result, error } of requests) {
    if (request !== method) continue;
    if (error) {
      listings.push({ error: new ProtocolError(error.code, error.message, error.data) });
      continue;
    }
    const listed = Array.isArray(result[member]) ? (result[member] as unknown[]) : [];
    const items = listed.filter(
      (item): item is Record<string, unknown> => isObject(item) && typeof item[identity] === 'string',
    );
    const last = listings.at(-1);
    // A request with a cursor continues the listing before it.
    if (params['cursor'] !== undefined && last && 'items' in last)
      listings[listings.length - 1] = { items: [...last.items, ...items] };
    else listings.push({ items });
  }
  return listings;
}
