import type { Handlers, ChannelContract } from '../../shared/channel.js';
import { Channel } from '../../shared/channel.js';

interface VsCodeApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

/** The extension as a page sees it: what it is told and asks, and what is kept for it while it is away. */
export class Host<FromPage extends ChannelContract, ToPage extends ChannelContract, State extends object> {
  readonly channel: Channel<FromPage, ToPage>;
  private readonly api = acquireVsCodeApi();

  /**
   * Only the extension speaks to a page: a frame that fits nothing is of another version of it, and means nothing
   * here.
   */
  constructor(handlers: Handlers<ToPage>) {
    this.channel = new Channel<FromPage, ToPage>({
      post: (frame) => this.api.postMessage(frame),
      handlers,
      onBadFrame: () => undefined,
    });
    window.addEventListener('message', (event) => {
      // A frame inside of the page is nobody to listen to.
      if (event.origin === window.origin) this.channel.receive(event.data);
    });
  }

  /** What this page, or the one before it in the same tab, kept last. */
  get state(): State | undefined {
    return (this.api.getState() as State | null | undefined) ?? undefined;
  }

  keep(state: State): void {
    this.api.setState(state);
  }
}
