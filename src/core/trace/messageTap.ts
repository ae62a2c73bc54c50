import type { RequestId } from '../protocol/jsonRpc.js';

/**
 * Receives every message on the wire of one server, in both directions and in order. Called synchronously; must not
 * throw.
 */
export interface MessageTap {
  /**
   * Called when a new connection has opened, so that request IDs start again.
   * @param kind the kind of the transport, for example `stdio`.
   */
  opened(kind: string): void;
  /** Called when a message was sent. @param headers the protocol's own HTTP headers; empty on other transports. */
  sent(text: string, headers: Record<string, string>): void;
  /**
   * Called when a message was received.
   * @param text the received text, if the transport still has it.
   * @param exchange the HTTP response that contained the message, when the message answers a POST.
   */
  received(
    message: unknown,
    text: string | undefined,
    exchange?: { status: number; headers: Readonly<Record<string, string | string[] | undefined>> },
  ): void;
  /**
   * Called when a request of the host ended without a response. A late response may still arrive.
   * @param reason absent if the caller canceled the request.
   */
  unanswered(id: RequestId, reason: string | undefined): void;
  /** Called when text was received that is not JSON. */
  unreadable(text: string): void;
  /** Called when the connection has ended. @param reason absent after an orderly end. */
  closed(reason: string | undefined): void;
}

/** The current tap of a server. A wire reads it for every message, so that capturing can start at any time. */
export interface TapHolder {
  current: MessageTap | undefined;
}
