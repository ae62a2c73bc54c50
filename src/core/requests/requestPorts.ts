import type { CreateMessageRequest, CreateMessageResult, ElicitRequest, ElicitResult } from '../protocol/mcp.js';
import type { ServerEntry } from '../registry/serverEntry.js';

/** Answers `sampling/createMessage` with the user's consent. If it is absent, the capability is not declared. */
export interface Sampler {
  /**
   * Asks the user and a model for the answer.
   * @param session identifies the requesting session, by object identity. A "not now" applies until that session ends.
   * @param client the client of the gateway whose call led to the request, if there is one.
   */
  createMessage(
    entry: ServerEntry,
    request: CreateMessageRequest,
    signal: AbortSignal,
    session: object,
    client?: string,
  ): Promise<CreateMessageResult>;
}

/** Answers `elicitation/create`. If it is absent, the capability is not declared. */
export interface Elicitor {
  /** @param client the client of the gateway whose call led to the request, if there is one. */
  elicit(entry: ServerEntry, request: ElicitRequest, signal: AbortSignal, client?: string): Promise<ElicitResult>;
  /**
   * Waits until the user has finished on a page that was opened for a server, or has declined or dismissed the request.
   * If this function is absent, the user is not asked.
   */
  untilVisited?(
    entry: ServerEntry,
    request: Extract<ElicitRequest, { mode: 'url' }>,
    signal: AbortSignal,
  ): Promise<'done' | 'given-up'>;
}
