import { visibleLine } from '../../base/hostileText.js';
import { notJson, parseMessage } from '../../protocol/parseMessage.js';
import type { SseEvent } from '../../protocol/sseParser.js';

export interface EventMessagesListener {
  onMessage(message: unknown, text: string): void;
  /** Receives the data of an event that is not JSON. */
  onUnreadableEvent?(text: string): void;
  /** Receives a warning; called at most once per kind of warning and stream. */
  onWarning(line: string): void;
  /** Receives events of other types; if absent, they are skipped with a warning. */
  onOtherEvent?(event: SseEvent): void;
}

/** Extracts JSON-RPC messages from the events of one stream; each event of type `message` contains one. */
export class EventMessages {
  hadMessage = false;
  private warnedOfType = false;
  private warnedOfData = false;

  /** @param maxBytes size limit of a message; see `parseMessage`. */
  constructor(
    private readonly listener: EventMessagesListener,
    private readonly maxBytes: number,
  ) {}

  /** Reads one event. Throws HostError `too-large`. */
  read(event: SseEvent): void {
    if (event.type !== 'message') {
      this.readOther(event);
      return;
    }
    // An event with an ID but without data only marks the position to resume from.
    if (event.data === '') return;
    const message = parseMessage(event.data, this.maxBytes);
    if (message === notJson) {
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
