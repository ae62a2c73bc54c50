import { t } from '@vscode/l10n';
import type { Arguments } from '../../shared/panel/formMessages.js';
import type { FormFailure, FormRequestState, WayOut } from '../../shared/panel/formRequestPage.js';
import { isRemedy } from '../../shared/panel/formRequestPage.js';
import { el, focusOn, icon, wordButton } from '../page/dom.js';
import { runKeyName, withRunKey } from '../page/runKey.js';
import type { ArgumentsSide } from '../form/argumentsSide.js';

export interface FormRequestViewOptions {
  state: FormRequestState;
  /** The part of the page that contains the form. */
  side: ArgumentsSide;
  submit: (values: Arguments, isSecondary: boolean) => void;
  leave: (way: WayOut) => void;
}

/** A form for a request. Shows who requests it and why, the form, and the possible answers. */
export class FormRequestView {
  readonly element: HTMLElement;
  private readonly buttons: HTMLElement;
  private readonly submitButton: HTMLElement;
  private isBusy = false;
  private readonly status = el('div', { class: 'request-over', attributes: { role: 'status' } });

  constructor(private readonly options: FormRequestViewOptions) {
    const { state, side, leave } = options;
    const submit = wordButton(state.submit, () => void this.submit(), { iconName: 'check', isSecondary: false });
    submit.setAttribute('title', withRunKey(state.submit));
    this.submitButton = submit;
    const ways = state.ways.map((way) => wayButton(way, leave));
    const second =
      state.secondSubmit === undefined
        ? []
        : [wordButton(state.secondSubmit, () => void this.submit(true), { iconName: 'save' })];
    this.buttons = el('div', { class: 'buttons' }, ...ways, ...second, submit);
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
        // The buttons that do not submit an elicitation differ in what the server learns, so they are explained. Those
        // of a definition need no explanation.
        state.target.kind === 'elicitation' &&
          state.ways.length > 1 &&
          el('p', { class: 'hint' }, state.ways.map(({ text, tooltip }) => `${text}: ${tooltip}.`).join(' ')),
        ...state.warnings.map((text) => el('p', { class: 'request-warning' }, icon('warning'), el('span', {}, text))),
        ...(state.failure === undefined ? [] : [failureBlock(state.failure, leave)]),
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

  /**
   * Shows the progress after a submit, and disables the buttons. Undefined removes the progress and enables the
   * buttons.
   */
  setProgress(text: string | undefined): void {
    for (const button of this.buttons.children) button.toggleAttribute('disabled', text !== undefined);
    this.isBusy = text !== undefined;
    this.status.hidden = text === undefined;
    this.status.replaceChildren(
      ...(text === undefined ? [] : [icon('loading codicon-modifier-spin'), el('span', {}, text)]),
    );
  }

  /** Shows the key that submits the form. Called after the user pressed a key that has no effect. */
  showSubmitKey(): void {
    if (this.buttons.hidden || this.isBusy) return;
    this.status.hidden = false;
    this.status.replaceChildren(
      icon('info'),
      el('span', {}, t('Press {0} for "{1}"', runKeyName(), this.options.state.submit)),
    );
  }

  /**
   * Moves the focus to the field that the failure points to, otherwise to the first field, or to the button that
   * submits if there is none.
   */
  focus(): void {
    const { state, side } = this.options;
    const field = state.failure?.field;
    if (field !== undefined) side.reveal(field);
    else if (!side.focus()) focusOn(this.submitButton);
  }

  /** Submits the form if it is valid, still needed and not submitted yet. */
  async submit(isSecondary = false): Promise<void> {
    if (this.buttons.hidden || this.isBusy) return;
    const values = await this.options.side.take();
    if (values) this.options.submit(values, isSecondary);
  }
}

function wayButton(
  { way, text, tooltip, icon: iconName }: FormRequestState['ways'][number],
  leave: (way: WayOut) => void,
  isSecondary = true,
): HTMLElement {
  const button = wordButton(text, () => leave(way), { iconName, isSecondary });
  button.setAttribute('title', tooltip);
  return button;
}

/** The failure of the last submit, or the failure that the server already has. Screen readers announce it. */
function failureBlock({ what, next, lines, ways }: FormFailure, leave: (way: WayOut) => void): HTMLElement {
  return el(
    'div',
    { class: 'request-failure', attributes: { role: 'alert' } },
    el('p', { class: 'request-warning' }, icon('error'), el('strong', {}, what)),
    el('p', {}, next),
    ...(lines.length === 0
      ? []
      : [el('pre', { attributes: { tabindex: '0', 'aria-label': t('Output of the server') } }, lines.join('\n'))]),
    el(
      'div',
      { class: 'buttons' },
      ...ways.map((way, index) => wayButton(way, leave, index > 0 || !isRemedy(way.way))),
    ),
  );
}
