import { Channel } from '../../../src/shared/channel.js';
import type {
  FromSamplingPage,
  PartEdit,
  SamplingAnswer,
  SamplingReply,
  SamplingState,
  ToSamplingPage,
} from '../../../src/shared/panel/samplingPage.js';
import type { AnyPage } from './standInPages.js';
import { standIn } from './standInPages.js';

/** The page of a sampling request, operated by a test. */
export class SamplingStandIn implements AnyPage {
  readonly channel: Channel<FromSamplingPage, ToSamplingPage>;
  isClosed = false;
  /** The last state that the page received. */
  state: SamplingState | undefined;
  answer: SamplingAnswer | undefined;
  /** Why the request ended. */
  over: string | undefined;

  constructor(post: (frame: unknown) => void) {
    this.channel = new Channel<FromSamplingPage, ToSamplingPage>({
      post,
      handlers: {
        notices: {
          show: (state) => {
            this.state = state;
            this.answer = state.answer;
            this.over = state.over;
          },
          answer: (answer) => void (this.answer = answer),
          asking: () => undefined,
          over: ({ text }) => void (this.over = text),
        },
        requests: {},
      },
      onBadFrame: () => undefined,
    });
  }

  /** What the user sees of the end of the request. */
  get ended(): { over: string | undefined; hasAnswer: boolean; isClosed: boolean } {
    return { over: this.over, hasAnswer: this.answer !== undefined, isClosed: this.isClosed };
  }

  /** Presses *Ask Model*. */
  ask(edits: PartEdit[] = []): Promise<SamplingReply> {
    return this.channel.request('ask', { edits });
  }

  /** Presses *Send* with the user's own answer. */
  sendOwn(text: string): Promise<SamplingReply> {
    return this.channel.request('send', { edits: [{ index: 0, text }] });
  }

  /** Presses *Send* with the answer of a model. */
  sendModel(edits: PartEdit[] = []): Promise<SamplingReply> {
    return this.channel.request('send', { edits, answer: this.answer?.id ?? 'none' });
  }
}

/** Active until `restore`. */
export function samplingPages(): { pages: SamplingStandIn[]; restore(): void } {
  return standIn((post) => new SamplingStandIn(post));
}
