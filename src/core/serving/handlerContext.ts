import type { CallSignal } from '../base/lightAbort.js';
import { isObject } from '../base/guards.js';
import type {
  ClientCapabilities,
  CreateMessageResult,
  ElicitResult,
  Implementation,
  LoggingLevel,
  Meta,
  Root,
} from '../protocol/mcp.js';
import { loggingLevels } from '../protocol/mcp.js';
import type { Revision } from '../protocol/revisions.js';
import { isAtLeast } from '../protocol/revisions.js';
import type { ConnectionInfo } from './clientGate.js';
import type { ClientRequest } from './clientRequest.js';
import { elicitation, rootsList, sampling } from './clientRequest.js';
import type { RequestContext } from './requestContext.js';
import type { CallerLife } from '../base/callerLife.js';
import type { ClientChannel, OpenRequest } from './serverCore.js';

type Params = Record<string, unknown>;

/** What an era knows about the client of a request. */
export interface ClientFacts {
  revision: Revision;
  client: Implementation | undefined;
  capabilities: ClientCapabilities;
  peer: object;
  life: CallerLife;
  connectionInfo: ConnectionInfo;
  /** The level of log messages that the client asked for. */
  askedLogLevel: LoggingLevel | undefined;
  /** The lowest log level that the client currently wants; undefined if it wants no messages. */
  logLevel(): LoggingLevel | undefined;
}

/** Sends `asked` to the client. Resolves with an answer that `asked.isAnswer` accepts. `signal` cancels the question. */
export type AskClient = (asked: ClientRequest, key: string | undefined, signal?: CallSignal) => Promise<Params>;

/** The context that a handler receives for `request`. */
export function createContext(
  request: OpenRequest,
  params: Params,
  facts: ClientFacts,
  ask: AskClient,
  signal: CallSignal,
  channel: ClientChannel,
): RequestContext {
  const { revision } = facts;
  const meta: Meta = isObject(params['_meta']) ? params['_meta'] : {};
  const token = meta['progressToken'];
  const wantsProgress = typeof token === 'string' || typeof token === 'number';
  let lastProgress = -Infinity;
  const isOver = (): boolean => signal.aborted || request.isOver;
  const say = (method: string, said: Params): void =>
    channel.send({ jsonrpc: '2.0', method, params: said }, request.id);
  return {
    era: request.era,
    revision,
    client: facts.client,
    clientCapabilities: facts.capabilities,
    peer: facts.peer,
    life: facts.life,
    connectionInfo: facts.connectionInfo,
    logLevel: facts.askedLogLevel,
    signal,
    meta,
    progress({ progress, total, message }) {
      if (isOver() || !wantsProgress || !(progress > lastProgress)) return;
      lastProgress = progress;
      const said: Params = { progressToken: token, progress };
      if (total !== undefined) said['total'] = total;
      // The field `message` was added in 2025-03-26.
      if (message !== undefined && isAtLeast(revision, '2025-03-26')) said['message'] = message;
      say('notifications/progress', said);
    },
    log(level, data, logger) {
      const wanted = facts.logLevel();
      if (isOver() || wanted === undefined || loggingLevels.indexOf(level) < loggingLevels.indexOf(wanted)) return;
      say('notifications/message', logger === undefined ? { level, data } : { level, logger, data });
    },
    // `ask` has validated the answers; these functions only assign the types.
    elicit: async (asked, key, until) =>
      (await ask(elicitation(asked, revision), key, until)) as unknown as ElicitResult,
    sample: async (asked, key, until) => (await ask(sampling(asked), key, until)) as unknown as CreateMessageResult,
    listRoots: async (key, until) => (await ask(rootsList(), key, until))['roots'] as Root[],
    releaseStream(retryMs) {
      if (request.era === 'legacy' && isAtLeast(revision, '2025-11-25') && !isOver())
        channel.release?.(request.id, retryMs);
    },
  };
}
