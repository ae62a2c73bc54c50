import {
  endingMessagesPerSecond,
  maxMessageLength,
  maxMessagesPerSecond,
  openMethod,
} from '../../shared/app/appPanel.js';
import type { StopReason } from '../../shared/app/appPanel.js';
import { el } from '../page/dom.js';

export interface AppFrameOptions {
  /** Which app it is. */
  number: number;
  /** The whole document, its policy first. */
  document: string;
  /** Says to a screen reader what the frame is. */
  label: string;
  /** Receives each message as JSON text. */
  onMessage: (text: string) => void;
  /** The height that the app wants, in CSS pixels. */
  onHeight: (height: number) => void;
  /** The frame is gone; nothing comes from it any more. */
  onStop: (reason: StopReason) => void;
}

const minHeight = 40;
const maxHeight = 20_000;
/** A document that has loaded answers at once, unless it works very hard. */
const absenceMs = 5_000;

/**
 * The frame of an app. Its sandbox gives it an origin of its own that equals no other (there is no `allow-same-origin`):
 * no storage, no cookies, no way to the page around it but messages. It may run scripts and have forms whose sending the
 * policy forbids; it may open no window, start no download, and lead no frame above it anywhere (security requirement V8).
 * A frame that goes to another page ends, also when that is refused: what is there then is not what the server declared.
 */
export class AppFrame {
  readonly element: HTMLIFrameElement;
  private readonly stopping = new AbortController();
  private second = 0;
  private inSecond = 0;
  private isLoaded = false;
  private port: MessagePort | undefined;
  private absence: number | undefined;

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

  /** Hands a JSON text over as the message that it is. */
  post(text: string): void {
    // The frame has no origin that could be named; nobody else stays in it (see `loaded`).
    this.element.contentWindow?.postMessage(JSON.parse(text), '*');
  }

  /** Takes the frame away. */
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
    this.port?.postMessage(0);
  }

  /** The first port is of the document itself, which speaks before anything of the server in it does. */
  private watch(port: MessagePort | undefined): void {
    if (this.port || !port) return;
    this.port = port;
    port.addEventListener('message', () => (this.isLoaded ? clearTimeout(this.absence) : undefined), {
      signal: this.stopping.signal,
    });
    port.start();
    if (this.isLoaded) port.postMessage(0);
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
      return this.refuse(data, `An app may send ${maxMessagesPerSecond} messages in a second.`);
    if (data['method'] === 'ui/notifications/size-changed') return this.takeSize(data['params']);
    const text = textOf(data);
    if (text === undefined || text.length > maxMessageLength)
      return this.refuse(data, `A message has to be JSON of at most ${maxMessageLength} characters.`);
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

/** Undefined for what JSON cannot say: circles, BigInt. */
function textOf(data: Record<string, unknown>): string | undefined {
  try {
    return JSON.stringify(data);
  } catch {
    // Structured clones can be more than JSON; such a message is refused.
    return undefined;
  }
}
