import { isObject } from '../base/guards.js';
import type { RequestId } from '../protocol/jsonRpc.js';
import type { HeldBytes } from './byteBudget.js';
import type { ClientConnection } from './clientConnection.js';

/**
 * Passes messages of a client to its connection, and counts the bytes of each request until it has ended. Used by
 * transports on which the answer does not arrive in the response to the request.
 */
export class HeldRequests {
  private readonly held = new Map<RequestId, HeldBytes>();

  /** Passes a message on. The caller releases its own hold on the bytes. */
  receive(connection: ClientConnection, message: unknown, bytes: HeldBytes): void {
    connection.receive(message, bytes.size);
    const id = isObject(message) ? (message['id'] as RequestId) : undefined;
    // A refused request is not open, and one with the ID of an open request is refused.
    if (id === undefined || !connection.hasOpen(id) || this.held.has(id)) return;
    bytes.hold();
    this.held.set(id, bytes);
  }

  /** Called when a request has ended. */
  ended(id: RequestId): void {
    this.held.get(id)?.release();
    this.held.delete(id);
  }
}
