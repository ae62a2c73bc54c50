/** Replaces the page of a form that a feature requests: the test sends the messages of the page. */
import { Channel } from '../../../src/shared/channel.js';
import type { Arguments } from '../../../src/shared/panel/formMessages.js';
import type {
  FormRequestState,
  FromFormRequestPage,
  ToFormRequestPage,
} from '../../../src/shared/panel/formRequestPage.js';
import type { AnyPage } from './standInPages.js';
import { standIn } from './standInPages.js';

export class StandInForm implements AnyPage {
  isClosed = false;
  readonly channel: Channel<FromFormRequestPage, ToFormRequestPage>;
  /** The last state that the page received. */
  state: FormRequestState | undefined;

  constructor(post: (frame: unknown) => void) {
    this.channel = new Channel<FromFormRequestPage, ToFormRequestPage>({
      post,
      handlers: {
        notices: {
          ask: (state) => void (this.state = state),
          over: () => undefined,
          progress: () => undefined,
        },
        requests: {},
      },
      onBadFrame: () => undefined,
    });
  }

  /** Presses the first button, with the values of the form and changes. */
  submit(changes: Arguments = {}): void {
    this.channel.notify('submit', { arguments: { ...this.state?.start, ...changes }, isSecondary: false });
  }
}

/** Active until `restore`. */
export function standInForms(): { pages: StandInForm[]; restore(): void } {
  return standIn((post) => new StandInForm(post));
}
