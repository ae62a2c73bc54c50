import type { ServerView } from '../../core/catalog/hostApi.js';
import { originOf } from '../../core/registry/serverEntry.js';
import type { CalledServer } from '../../core/consent/toolConsent.js';

/** A server as rules and approvals see it: by the definition that it runs as. */
export function calledServer({ id, entry, startedAs }: ServerView): CalledServer {
  return { id, hash: startedAs ?? entry.hash, origin: originOf(entry.source) };
}
