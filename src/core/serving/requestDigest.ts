import { createHash } from 'node:crypto';
import { canonicalJson } from '../base/jsonText.js';

type Params = Record<string, unknown>;

/** The identity of a request over its rounds: its method, its client, and the parameters that rounds do not change. */
export function requestDigest(method: string, params: Params, principal: string): string {
  return digestOf([method, principal, salient(params)]);
}

/** SHA-256 of a JSON value, independent of the order of members, because a client may repeat them in another order. */
export function digestOf(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('base64url');
}

/** The parameters that identify a request: all except those that change between rounds. */
export function salient(params: Params): Params {
  const rest = { ...params };
  delete rest['_meta'];
  delete rest['inputResponses'];
  delete rest['requestState'];
  return rest;
}
