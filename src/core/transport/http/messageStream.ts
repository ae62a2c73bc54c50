/** A response body of server-sent events, each of which carries one JSON-RPC message. */
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { parseExact } from '../../base/exactNumbers.js';
import { visibleLine } from '../../base/hostileText.js';
import { readInSlices } from '../../protocol/slicedReader.js';
import type { SseEvent, SseListener } from '../../protocol/sseParser.js';
import { SseParser } from '../../protocol/sseParser.js';
import { openBody } from './httpBody.js';
import { isHeaderValue } from './remoteHeaders.js';

/** Ids are sent back as a header: longer ones are not worth resuming for. */
const maxIdLength = 4_096;

export interface MessageStreamListener {
  onMessage(message: unknown, text: string): void;
  /** An event whose data is not JSON. */
  onUnreadableEvent?(text: string): void;
  /** Everything has been read; whether the stream ended or broke is the same to its reader. */
  onEnd(): void;
  /** The stream cannot be read any further: too large, or not decodable. */
  onUnreadable(error: unknown): void;
  /** At most one of each kind per stream. */
  onWarning(line: string): void;
  /** Receives events of other types; without it they are skipped with a warning. */
  onOtherEvent?(event: SseEvent): void;
  onRetry?(ms: number): void;
}

export class MessageStream implements SseListener {
  hadMessage = false;
  hadId = false;
  private readonly parser: SseParser;
  private body: Readable | undefined;
  private isStopped = false;
  private warnedOfType = false;
  private warnedOfData = false;

  constructor(
    private readonly listener: MessageStreamListener,
    maxBytes: number,
    /** The last event id as value of `Last-Event-ID`; undefined when there was none or it cannot be sent. */
    public lastEventId?: string,
  ) {
    this.parser = new SseParser(this, maxBytes);
  }

  /** True when the stream ended in the middle of an event. */
  get wasCutOff(): boolean {
    return this.parser.hasPartialEvent;
  }

  read(response: IncomingMessage): void {
    openBody(
      response,
      (body) => {
        this.body = body;
        if (this.isStopped) {
          body.destroy();
          return;
        }
        // Its end is what counts, and that is told by `close` too.
        body.on('error', () => undefined);
        readInSlices(
          body,
          this.parser,
          (error) => {
            body.destroy();
            if (!this.isStopped) this.listener.onUnreadable(error);
          },
          () => {
            if (!this.isStopped) this.listener.onEnd();
          },
        );
      },
      (error) => this.listener.onUnreadable(error),
    );
  }

  /** Ends the connection; nothing is delivered any more. */
  stop(): void {
    this.isStopped = true;
    this.body?.destroy();
  }

  onEvent(event: SseEvent): void {
    if (this.isStopped) return;
    if (event.type !== 'message') {
      if (this.listener.onOtherEvent) this.listener.onOtherEvent(event);
      else if (!this.warnedOfType) {
        this.warnedOfType = true;
        this.listener.onWarning(`Skipped an event of the unknown type "${visibleLine(event.type, 40)}".`);
      }
      return;
    }
    // An event with an id and no data only marks the place to resume from.
    if (event.data === '') return;
    let message: unknown;
    try {
      message = parseExact(event.data);
    } catch {
      this.listener.onUnreadableEvent?.(event.data);
      if (!this.warnedOfData) {
        this.warnedOfData = true;
        this.listener.onWarning(`Skipped an event that is not JSON: ${visibleLine(event.data, 80)}`);
      }
      return;
    }
    this.hadMessage = true;
    this.listener.onMessage(message, event.data);
  }

  onId(id: string): void {
    // Headers are bytes: UTF-8 has to look like Latin-1 to pass.
    const value = Buffer.from(id, 'utf8').toString('latin1');
    if (id !== '') this.hadId = true;
    this.lastEventId = id !== '' && value.length <= maxIdLength && isHeaderValue(value) ? value : undefined;
  }

  onRetry(ms: number): void {
    this.listener.onRetry?.(ms);
  }
}
