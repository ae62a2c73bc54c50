import type { Form } from '../../shared/form/form.js';
import { valueOf, valueToForm } from '../../shared/form/formValue.js';
import type { Arguments, Draft, FromForm } from '../../shared/panel/formMessages.js';
import type { SavedPage } from '../../shared/panel/pageTarget.js';
import type { Channel, ChannelContract } from '../../shared/channel.js';
import type { ArgumentsSideOptions } from './argumentsSide.js';

/** Delay between the last keystroke and sending the input to the extension, in milliseconds. */
const pauseMs = 150;

/** The state of a page with a form. VS Code keeps it while the page is hidden and when the window reloads. */
export interface SavedForm extends SavedPage {
  draft?: Draft;
  /** Data of the extension; see `FormRequestState.kept`. */
  kept?: Readonly<Record<string, unknown>>;
}

/** Sends the input of a form to the extension after a pause, in case the window closes unexpectedly. */
export class DraftSender {
  private timer: number | undefined;

  constructor(private readonly send: (draft: Draft) => void) {}

  later(draft: Draft): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.send(draft), pauseMs);
  }
}

/** The newer of two drafts. */
export function newer(a: Draft | undefined, b: Draft | undefined): Draft | undefined {
  return a && b ? (a.at >= b.at ? a : b) : (a ?? b);
}

/** Transfers input to a changed form. Values that have no field in the new form are kept as well. */
export function movedTo(form: Form, draft: Draft): Draft {
  return { ...draft, state: valueToForm(form, valueOf(draft.state)) };
}

/** The messages of a page that a form uses. */
type FormChannel = Pick<Channel<FromForm, ChannelContract>, 'request'>;

/**
 * Connects a form with the extension.
 * @param values the current values of a form whose arguments the server completes. Absent for other forms.
 */
export function formRequests(
  channel: FormChannel,
  values?: () => Arguments,
): Pick<ArgumentsSideOptions, 'check' | 'window'> {
  return {
    check: (checked) => channel.request('check', { arguments: checked }),
    window: {
      suggest: ({ field, path }, text, { isMultiline }) =>
        channel.request('suggest', {
          text,
          isPath: field.picker !== undefined,
          isMultiline,
          path,
          ...(values && { arguments: values() }),
        }),
      editorText: async (source) => (await channel.request('editorText', { source })).text,
      pick: async (kind) => (await channel.request('pick', { kind })).path,
    },
  };
}
