import { parseExact } from '../../base/exactNumbers.js';
import { visibleLine } from '../../base/hostileText.js';
import type { SseEvent } from '../../protocol/sseParser.js';

export interface EventMessagesListener {
  onMessage(message: unknown, text: string): void;
  /** An event whose data is not JSON. */
  onUnreadableEvent?(text: string): void;
  /** At most one of each kind per stream. */
  onWarning(line: string): void;
  /** Receives events of other types; without it they are skipped with a warning. */
  onOtherEvent?(event: SseEvent): void;
}

/** The JSON-RPC messages in the events of one stream; each event of the type `message` carries one. */
export class EventMessages {
  hadMessage = false;
  private warnedOfType = false;
  private warnedOfData = false;

  constructor(private readonly listener: EventMessagesListener) {}

  read(event: SseEvent): void {
    if (event.type !== 'message') {
      this.readOther(event);
      return;
    }
    // An event with an id and no data only marks the place to resume from.
    if (event.data === '') return;
    let message: unknown;
    try {
      message = parseExact(event.data);
    } catch {
      this.readUnreadable(event.data);
      return;
    }
    this.hadMessage = true;
    this.listener.onMessage(message, event.data);
  }

  private readOther(event: SseEvent): void {
    if (this.listener.onOtherEvent) this.listener.onOtherEvent(event);
    else if (!this.warnedOfType) {
      this.warnedOfType = true;
      this.listener.onWarning(`Skipped an event of the unknown type "${visibleLine(event.type, 40)}".`);
    }
  }

  private readUnreadable(text: string): void {
    this.listener.onUnreadableEvent?.(text);
    if (this.warnedOfData) return;
    this.warnedOfData = true;
    this.listener.onWarning(`Skipped an event that is not JSON: ${visibleLine(text, 80)}`);
  }
}
