import type { CallSignal } from '../base/lightAbort.js';
import { randomInt } from 'node:crypto';
import type { Clock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import { durationText } from '../../shared/amountText.js';
import { isObject } from '../base/guards.js';
import { UserError } from '../base/hostError.js';
import type { JsonRpcMessage, RequestId } from '../protocol/jsonRpc.js';
import { ErrorCode, ProtocolError } from '../protocol/jsonRpc.js';
import type { ClientRequest } from './clientRequest.js';

type Params = Record<string, unknown>;

/**
 * The requests that a server sends to a legacy client. Each ends exactly once: by an answer, an error, an abort, a
 * timeout, or the end of the connection.
 */
export class ClientRequests {
  /** Random, so that a late answer to an earlier session of the client matches no request of this one. */
  private nextId = randomInt(2 ** 40);
  private readonly open = new Map<unknown, { ask: ClientRequest; settle: (outcome: Params | Error) => void }>();

  constructor(
    private readonly clock: Clock,
    private readonly timeoutMs: number,
    private readonly sendMessage: (message: JsonRpcMessage, relatedTo: RequestId) => void,
  ) {}

  /**
   * Sends a request to the client; resolves with a valid answer.
   * @param relatedTo the client's request during which the server sends this one.
   */
  send(ask: ClientRequest, relatedTo: RequestId, signal: CallSignal): Promise<Params> {
    return new Promise<Params>((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      const id = this.nextId++;
      const giveUp = (reason: string): void =>
        this.sendMessage(
          { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id, reason } },
          relatedTo,
        );
      const onAbort = (): void => {
        giveUp('The request that needed the answer has ended.');
        settle(signal.reason as Error);
      };
      const timer: Disposable = this.clock.after(this.timeoutMs, () => {
        giveUp('The question was not answered.');
        settle(new UserError(`The client did not answer ${ask.method} within ${durationText(this.timeoutMs)}.`));
      });
      const settle = (outcome: Params | Error): void => {
        if (!this.open.delete(id)) return;
        timer.dispose();
        signal.removeEventListener('abort', onAbort);
        if (outcome instanceof Error) reject(outcome);
        else resolve(outcome);
      };
      this.open.set(id, { ask, settle });
      signal.addEventListener('abort', onAbort, { once: true });
      this.sendMessage({ jsonrpc: '2.0', id, method: ask.method, params: ask.params }, relatedTo);
    });
  }

  /** Receives a response of the client; returns false if it matches no open request. */
  receive(message: Params): boolean {
    const pending = this.open.get(message['id']);
    if (!pending) return false;
    const { error, result } = message;
    if (error !== undefined) pending.settle(refusal(pending.ask, error));
    else if (isObject(result) && pending.ask.isAnswer(result)) pending.settle(result);
    else pending.settle(new UserError(`The client sent an invalid answer to ${pending.ask.method}.`));
    return true;
  }

  end(reason: Error): void {
    for (const { settle } of [...this.open.values()]) settle(reason);
  }
}

/**
 * Converts an error response of the client to the error that the handler receives. It is not treated as a bug in the
 * handler, so its message is passed on to the client.
 */
function refusal(ask: ClientRequest, error: unknown): Error {
  const code = isObject(error) ? error['code'] : undefined;
  const message = isObject(error) && typeof error['message'] === 'string' ? error['message'] : 'no reason given';
  if (code === ErrorCode.userRejected) return new UserError(`The user declined: ${message}`);
  if (code === ErrorCode.methodNotFound) return new UserError(`The client does not support ${ask.method}.`);
  return new ProtocolError(ErrorCode.internalError, `The client could not answer ${ask.method}: ${message}`);
}
