import type { CreateMessageRequest, CreateMessageResult, ElicitRequest, ElicitResult } from '../protocol/mcp.js';
import type { ServerEntry } from '../registry/serverEntry.js';

/** Answers `sampling/createMessage` with the user's consent. Absent: the capability is not declared. */
export interface Sampler {
  /** @param session identifies the requesting session, by object identity: "not now" applies until it ends. */
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
   * Waits until the user has finished on a page that was opened for a server, or has dismissed it. Absent: the user is
   * not asked.
   */
  untilVisited?(
    entry: ServerEntry,
    request: Extract<ElicitRequest, { mode: 'url' }>,
    signal: AbortSignal,
  ): Promise<'done' | 'given-up'>;
}
