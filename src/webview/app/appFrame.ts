import {
  endingMessagesPerSecond,
  maxMessageLength,
  maxMessagesPerSecond,
  maxUnhandledLength,
  openMethod,
} from '../../shared/app/appPage.js';
import type { StopReason } from '../../shared/app/appPage.js';
import { el } from '../page/dom.js';

export interface AppFrameOptions {
  /** The number that identifies the app. */
  number: number;
  /** The whole document, which begins with the policy. */
  document: string;
  /** The accessible name of the frame. */
  label: string;
  /** Receives the messages of the app as JSON text, except for the requested height and messages over a limit. */
  onMessage: (text: string) => void;
  /** Called when the app has taken a message, with the length of its text. */
  onTaken: (length: number) => void;
  /** Receives the height that the app requests, in CSS pixels. */
  onHeight: (height: number) => void;
  /** Called when the frame was removed because it navigated or sent too many messages. */
  onStop: (reason: StopReason) => void;
}

const minHeight = 40;
const maxHeight = 20_000;
/**
 * Maximum wait for the document's answer, in milliseconds. A loaded document answers immediately unless it is busy.
 */
const absenceMs = 5_000;

/**
 * The frame of an app. Its sandbox gives it a unique origin (without `allow-same-origin`). So it has no storage and no
 * cookies, and it can reach the page around it only with messages. It may run scripts and contain forms, but the policy
 * forbids submitting the forms. It cannot open windows, start downloads, or navigate its parents (security requirement
 * V8). A frame that navigates is removed, even if the navigation was blocked, because the new content is not what the
 * server declared.
 */
export class AppFrame {
  readonly element: HTMLIFrameElement;
  private readonly stopping = new AbortController();
  private second = 0;
  private inSecond = 0;
  private isLoaded = false;
  private port: MessagePort | undefined;
  private absence: number | undefined;
  /** The length of the messages of the app that the extension has not handled yet. */
  private unhandled = 0;
  /**
   * The answers that the document owes, oldest first. Each one says that the document has loaded, or that it has taken a
   * message of this length.
   */
  private readonly expected: ('load' | number)[] = [];

  constructor(private readonly options: AppFrameOptions) {
    this.element = el('iframe', {
      class: 'app-frame',
      attributes: { sandbox: 'allow-scripts allow-forms', referrerpolicy: 'no-referrer', title: options.label },
    });
    this.element.srcdoc = options.document;
    const { signal } = this.stopping;
    this.element.addEventListener('load', () => this.loaded(), { signal });
    window.addEventListener(
      'message',
      (event) => (event.source === this.element.contentWindow ? this.receive(event) : undefined),
      { signal },
    );
  }

  get number(): number {
    return this.options.number;
  }

  /** Sends a message, given as JSON text. */
  post(text: string): void {
    // The frame has an opaque origin, so no target origin can be specified. If the frame navigates, `loaded` removes
    // it.
    this.element.contentWindow?.postMessage(JSON.parse(text), '*');
    this.expectAnswer(text.length);
  }

  /** Called when the extension has handled a message of this length. */
  handled(length: number): void {
    this.unhandled = Math.max(0, this.unhandled - length);
  }

  /** Removes the frame. */
  close(): void {
    this.stopping.abort();
    clearTimeout(this.absence);
    this.port?.close();
    this.element.remove();
  }

  private loaded(): void {
    if (this.isLoaded) return this.stop('left');
    this.isLoaded = true;
    this.absence = window.setTimeout(() => this.stop('left'), absenceMs);
    this.expectAnswer('load');
  }

  /** Asks the document for an answer, which it gives only while it takes messages. */
  private expectAnswer(what: 'load' | number): void {
    if (!this.port) return;
    this.expected.push(what);
    this.port.postMessage(0);
  }

  private answered(): void {
    const what = this.expected.shift();
    if (what === 'load') clearTimeout(this.absence);
    else if (what !== undefined) this.options.onTaken(what);
  }

  /**
   * Keeps the first port. It comes from the document itself, because the script of the document runs before any server
   * content.
   */
  private watch(port: MessagePort | undefined): void {
    if (this.port || !port) return;
    this.port = port;
    port.addEventListener('message', () => this.answered(), { signal: this.stopping.signal });
    port.start();
    if (this.isLoaded) this.expectAnswer('load');
  }

  private receive({ data, ports }: MessageEvent<unknown>): void {
    const second = Math.floor(performance.now() / 1_000);
    if (second !== this.second) this.inSecond = 0;
    this.second = second;
    this.inSecond++;
    if (this.inSecond > endingMessagesPerSecond) return this.stop('flood');
    if (!isMessage(data)) return;
    if (data['method'] === openMethod) return this.watch(ports[0]);
    if (this.inSecond > maxMessagesPerSecond)
      return this.refuse(data, `An app can send at most ${maxMessagesPerSecond} messages per second.`);
    if (data['method'] === 'ui/notifications/size-changed') return this.takeSize(data['params']);
    const text = messageJson(data);
    if (text === undefined || text.length > maxMessageLength)
      return this.refuse(data, `A message must be JSON of at most ${maxMessageLength} characters.`);
    if (this.unhandled + text.length > maxUnhandledLength)
      return this.refuse(
        data,
        'The earlier messages of the app are still being handled. Send the message again later.',
      );
    this.unhandled += text.length;
    this.options.onMessage(text);
  }

  private takeSize(params: unknown): void {
    const height =
      typeof params === 'object' && params !== null ? (params as Record<string, unknown>)['height'] : undefined;
    if (typeof height === 'number' && Number.isFinite(height))
      this.options.onHeight(Math.min(maxHeight, Math.max(minHeight, Math.ceil(height))));
  }

  private refuse({ id }: Record<string, unknown>, message: string): void {
    if (typeof id === 'string' || typeof id === 'number')
      this.element.contentWindow?.postMessage({ jsonrpc: '2.0', id, error: { code: -32_000, message } }, '*');
  }

  private stop(reason: StopReason): void {
    this.close();
    this.options.onStop(reason);
  }
}

function isMessage(data: unknown): data is Record<string, unknown> {
  return typeof data === 'object' && data !== null && (data as Record<string, unknown>)['jsonrpc'] === '2.0';
}

/** The JSON text of the data. Undefined for values that JSON cannot represent, such as cycles and BigInt. */
function messageJson(data: Record<string, unknown>): string | undefined {
  try {
    return JSON.stringify(data);
  } catch {
    // A structured clone can contain values that JSON cannot represent. A message with such values is refused.
    return undefined;
  }
}
