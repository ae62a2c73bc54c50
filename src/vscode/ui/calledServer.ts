import type { ServerView } from '../../core/catalog/hostApi.js';
import { originOf } from '../../core/registry/serverEntry.js';
import type { CalledServer } from '../../core/consent/toolConsent.js';

/** The data by which rules and approvals identify a server. It uses the definition that the server was started with. */
export function calledServer({ id, entry, startedAs }: ServerView): CalledServer {
  return { id, hash: startedAs ?? entry.hash, origin: originOf(entry.source) };
}
