import type { Arguments } from '../../shared/panel/formMessages.js';
import type { FormRequestState, WayOut } from '../../shared/panel/formRequestPage.js';
import { el, focusOn, icon, wordButton } from '../page/dom.js';
import { withRunKey } from '../page/runKey.js';
import type { ArgumentsSide } from '../form/argumentsSide.js';

export interface FormRequestViewOptions {
  state: FormRequestState;
  /** The form. */
  side: ArgumentsSide;
  submit: (values: Arguments) => void;
  leave: (way: WayOut) => void;
}

/** A form for a request: who asks and why, the form, and the possible answers. */
export class FormRequestView {
  readonly element: HTMLElement;
  private readonly buttons: HTMLElement;
  private readonly submitButton: HTMLElement;
  private readonly status = el('div', { class: 'request-over', attributes: { role: 'status' } });

  constructor(private readonly options: FormRequestViewOptions) {
    const { state, side, leave } = options;
    const submit = wordButton(state.submit, () => void this.submit(), { iconName: 'check', isSecondary: false });
    submit.setAttribute('title', withRunKey(state.submit));
    this.submitButton = submit;
    const ways = state.ways.map(({ way, text, tooltip, icon: iconName }) => {
      const button = wordButton(text, () => leave(way), { iconName });
      button.setAttribute('title', tooltip);
      return button;
    });
    this.buttons = el('div', { class: 'buttons' }, ...ways, submit);
    const hint = state.hint === undefined ? undefined : el('span', { class: 'hint' }, state.hint);
    this.status.hidden = true;
    this.element = el(
      'main',
      { class: 'panel request' },
      el(
        'header',
        { class: 'head' },
        el(
          'div',
          { class: 'head-line' },
          el('div', { class: 'names' }, el('h1', {}, state.title), hint),
          ...(state.hasModes ? [side.modes.element] : []),
          this.buttons,
        ),
        el('p', { class: 'request-message' }, state.message),
        state.ways.length > 1 &&
          el('p', { class: 'hint' }, state.ways.map(({ text, tooltip }) => `${text}: ${tooltip}.`).join(' ')),
        ...state.warnings.map((text) => el('p', { class: 'request-warning' }, icon('warning'), el('span', {}, text))),
        this.status,
      ),
      side.element,
    );
    if (state.over !== undefined) this.end(state.over);
  }

  /** Shows that the form is no longer needed. The input remains readable. */
  end(text: string): void {
    this.buttons.hidden = true;
    this.status.hidden = false;
    this.status.replaceChildren(icon('info'), el('span', {}, text));
  }

  /** Moves the focus to the first field, or to the button that submits if there is none. */
  focus(): void {
    if (!this.options.side.focus()) focusOn(this.submitButton);
  }

  /** Submits the form if it is valid and still needed. */
  async submit(): Promise<void> {
    if (this.buttons.hidden) return;
    const values = await this.options.side.take();
    if (values) this.options.submit(values);
  }
}
