import type { RequestId } from '../protocol/jsonRpc.js';

/** Who listens to the wire of one server: every message both ways, in order. Called synchronously; must not throw. */
export interface MessageTap {
  /** @param kind of the transport, as `stdio`. A new connection begins; ids start anew. */
  opened(kind: string): void;
  /** @param headers the protocol's own HTTP headers; empty on other transports. */
  sent(text: string, headers: Record<string, string>): void;
  /**
   * @param text as it came, where the transport still has it.
   * @param exchange the HTTP response that it came with, where it is the answer to a POST.
   */
  received(
    message: unknown,
    text: string | undefined,
    exchange?: { status: number; headers: Readonly<Record<string, string | string[] | undefined>> },
  ): void;
  /**
   * A request of ours ended without an answer; one that comes later may still be received.
   * @param reason absent where the caller gave up.
   */
  unanswered(id: RequestId, reason: string | undefined): void;
  /** What came and is no JSON. */
  unreadable(text: string): void;
  /** @param reason absent after an orderly end. */
  closed(reason: string | undefined): void;
}

/** The place for a tap: a wire looks into it with every message, so that somebody may begin to listen at any time. */
export interface TapHolder {
  current: MessageTap | undefined;
}
