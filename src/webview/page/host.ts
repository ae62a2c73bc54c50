import type { Handlers, ChannelContract } from '../../shared/channel.js';
import { Channel } from '../../shared/channel.js';

interface VsCodeApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

/**
 * The connection of a page to the extension: messages in both directions, and state that VS Code keeps for the page.
 */
export class Host<FromPage extends ChannelContract, ToPage extends ChannelContract, State extends object> {
  readonly channel: Channel<FromPage, ToPage>;
  private readonly api = acquireVsCodeApi();

  /**
   * Messages come only from the extension. An invalid frame comes from another version of the extension and is ignored.
   */
  constructor(handlers: Handlers<ToPage>) {
    this.channel = new Channel<FromPage, ToPage>({
      post: (frame) => this.api.postMessage(frame),
      handlers,
      onBadFrame: () => undefined,
    });
    window.addEventListener('message', (event) => {
      // Messages from frames inside the page are ignored.
      if (event.origin === window.origin) this.channel.receive(event.data);
    });
  }

  /** The state that this page, or its predecessor in the same tab, last saved. */
  get state(): State | undefined {
    return (this.api.getState() as State | null | undefined) ?? undefined;
  }

  keep(state: State): void {
    this.api.setState(state);
  }
}
