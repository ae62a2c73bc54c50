import type { MessageTap } from './messageTap.js';

/** Passes every message on to several taps, in their order. */
export class TapGroup implements MessageTap {
  constructor(private readonly taps: readonly MessageTap[]) {}

  opened(kind: string): void {
    for (const tap of this.taps) tap.opened(kind);
  }

  sent(text: string, headers: Record<string, string>): void {
    for (const tap of this.taps) tap.sent(text, headers);
  }

  received(...message: Parameters<MessageTap['received']>): void {
    for (const tap of this.taps) tap.received(...message);
  }

  unanswered(...end: Parameters<MessageTap['unanswered']>): void {
    for (const tap of this.taps) tap.unanswered(...end);
  }

  unreadable(text: string): void {
    for (const tap of this.taps) tap.unreadable(text);
  }

  closed(reason: string | undefined): void {
    for (const tap of this.taps) tap.closed(reason);
  }
}
