/** A response body of Streamable HTTP with server-sent events, each of which contains one JSON-RPC message. */
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { ByteParser, ReadGate } from '../../protocol/slicedReader.js';
import { readInSlices } from '../../protocol/slicedReader.js';
import type { SseEvent, SseListener } from '../../protocol/sseParser.js';
import { SseParser } from '../../protocol/sseParser.js';
import type { BodyBudget, HeldBody } from './bodyBudget.js';
import { freeBytes } from './bodyBudget.js';
import type { EventMessagesListener } from './eventMessages.js';
import { EventMessages } from './eventMessages.js';
import { openBody } from './httpBody.js';
import { isHeaderValue } from './remoteHeaders.js';

/**
 * Maximum length of an event ID, in UTF-16 code units. IDs are sent back in a header. A stream with a longer ID is not
 * resumed.
 */
const maxIdLength = 4_096;

export interface MessageStreamListener extends EventMessagesListener {
  /** Called when everything received has been read, whether the stream ended or broke. */
  onEnd(): void;
  /** Called when the rest of the stream cannot be read: too large, or not decodable. */
  onUnreadable(error: unknown): void;
  onRetry?(ms: number): void;
}

/** The limits that the streams of one server share. */
export interface StreamLimits {
  readonly maxMessageBytes: number;
  /** Pauses the event streams of the server. */
  readonly gate: ReadGate;
  /** The bytes of all unfinished bodies of the server. */
  readonly bodies: BodyBudget;
}

export class MessageStream implements ByteParser, ReadGate, SseListener {
  hadId = false;
  private readonly parser: SseParser;
  private readonly messages: EventMessages;
  private readonly gate: ReadGate;
  private readonly bodies: BodyBudget;
  private held: HeldBody | undefined;
  private body: Readable | undefined;
  private isStopped = false;

  constructor(
    private readonly listener: MessageStreamListener,
    { maxMessageBytes, gate, bodies }: StreamLimits,
    /** The last event ID as the value of `Last-Event-ID`; undefined if there was none or it cannot be sent. */
    public lastEventId?: string,
  ) {
    this.parser = new SseParser(this, maxMessageBytes);
    this.messages = new EventMessages(listener, maxMessageBytes);
    this.gate = gate;
    this.bodies = bodies;
  }

  get hadMessage(): boolean {
    return this.messages.hadMessage;
  }

  /** Whether the stream ended within an event. */
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
        // `close` follows each error and ends the stream.
        body.on('error', () => undefined);
        readInSlices(
          body,
          this,
          (error) => {
            body.destroy();
            this.held?.holds(0);
            if (!this.isStopped) this.listener.onUnreadable(error);
          },
          () => {
            this.held?.holds(0);
            if (!this.isStopped) this.listener.onEnd();
          },
          this,
        );
      },
      (error) => this.listener.onUnreadable(error),
    );
  }

  /** Closes the connection; delivers nothing afterwards. */
  stop(): void {
    this.isStopped = true;
    this.body?.destroy();
    this.held?.holds(0);
  }

  feed(chunk: Buffer, deadline?: number): Buffer | undefined {
    const rest = this.parser.feed(chunk, deadline);
    const held = this.parser.partialSize;
    if (!this.isStopped && (this.held || held > freeBytes)) (this.held ??= this.bodies.open()).holds(held);
    return rest;
  }

  get isHeld(): boolean {
    return this.gate.isHeld || this.held?.isHeld === true;
  }

  onceFree(listener: () => void): void {
    (this.held?.isHeld === true ? this.held : this.gate).onceFree(listener);
  }

  onEvent(event: SseEvent): void {
    if (!this.isStopped) this.messages.read(event);
  }

  onId(id: string): void {
    // Header values are bytes: the UTF-8 bytes are passed as Latin-1 characters.
    const value = Buffer.from(id, 'utf8').toString('latin1');
    if (id !== '') this.hadId = true;
    this.lastEventId = id !== '' && value.length <= maxIdLength && isHeaderValue(value) ? value : undefined;
  }

  onRetry(ms: number): void {
    this.listener.onRetry?.(ms);
  }
}
