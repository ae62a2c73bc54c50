import type { CreateMessageRequest, CreateMessageResult, ElicitRequest, ElicitResult } from '../protocol/mcp.js';
import type { ServerEntry } from '../registry/serverEntry.js';

/** Answers `sampling/createMessage` with the user's consent. Absent: the capability is not declared. */
export interface Sampler {
  /** @param session stands for the session that asks, by identity: a "not now" lasts as long as it. */
  createMessage(
    entry: ServerEntry,
    request: CreateMessageRequest,
    signal: AbortSignal,
    session: object,
  ): Promise<CreateMessageResult>;
}

/** Answers `elicitation/create`. Absent: the capability is not declared. */
export interface Elicitor {
  elicit(entry: ServerEntry, request: ElicitRequest, signal: AbortSignal): Promise<ElicitResult>;
  /**
   * Waits until the user has finished on a page that was opened for a server, or gives up on it. Absent: nobody is
   * asked.
   */
  untilVisited?(
    entry: ServerEntry,
    request: Extract<ElicitRequest, { mode: 'url' }>,
    signal: AbortSignal,
  ): Promise<'done' | 'given-up'>;
}
