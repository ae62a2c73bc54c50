import { createHash } from 'node:crypto';
import { isObject } from '../base/guards.js';

type Params = Record<string, unknown>;

/** The identity of a request over its rounds: its method, its client, and the parameters that rounds do not change. */
export function requestDigest(method: string, params: Params, principal: string): string {
  return digestOf([method, principal, salient(params)]);
}

/** SHA-256 of a JSON value, independent of the order of members. */
export function digestOf(value: unknown): string {
  return createHash('sha256').update(canonical(value)).digest('base64url');
}

/** The parameters that identify a request: all except those that change between rounds. */
export function salient(params: Params): Params {
  const rest = { ...params };
  delete rest['_meta'];
  delete rest['inputResponses'];
  delete rest['requestState'];
  return rest;
}

/** JSON with sorted keys, because a client may repeat the same arguments in another order. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (!isObject(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
