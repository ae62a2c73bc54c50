import type { Arguments, Refusal, RequestState } from '../../shared/toolPanel.js';
import { el, icon, wordButton } from '../page/dom.js';
import type { Translate } from '../page/translate.js';
import type { ArgumentsSide } from './argumentsSide.js';

export interface RequestViewOptions {
  state: RequestState;
  t: Translate;
  /** The form. */
  side: ArgumentsSide;
  submit: (values: Arguments) => void;
  refuse: (action: Refusal) => void;
}

/** What a server asks of the user: who asks and why, the form, and the three ways to answer. */
export class RequestView {
  readonly element: HTMLElement;
  private readonly buttons: HTMLElement;
  private readonly status = el('div', { class: 'request-over', attributes: { role: 'status' } });

  constructor(private readonly options: RequestViewOptions) {
    const { state, t, side, refuse } = options;
    const submit = wordButton(t('Submit'), () => void this.submit(), { iconName: 'check', isSecondary: false });
    submit.setAttribute('title', t('{0} ({1})', t('Submit'), navigator.platform.startsWith('Mac') ? '⌘⏎' : 'Ctrl+Enter'));
    const decline = wordButton(t('Decline'), () => refuse('decline'), { iconName: 'circle-slash' });
    decline.setAttribute('title', t('Tells the server no'));
    const dismiss = wordButton(t('Dismiss'), () => refuse('cancel'), { iconName: 'close' });
    dismiss.setAttribute('title', t('Tells the server that you gave no answer'));
    this.buttons = el('div', { class: 'buttons' }, dismiss, decline, submit);
    const waiting = state.othersWaiting === 0 ? undefined : el('span', { class: 'hint' }, state.othersWaiting === 1 ? t('1 more request of it waits') : t('{0} more requests of it wait', state.othersWaiting));
    this.status.hidden = true;
    this.element = el(
      'main',
      { class: 'panel request', on: { keydown: (event) => this.press(event) } },
      el(
        'header',
        { class: 'head' },
        el('div', { class: 'head-line' }, el('div', { class: 'names' }, el('h1', {}, t('{0} asks', state.server)), waiting), this.buttons),
        el('p', { class: 'request-message' }, state.message === '' ? t('It gave no reason.') : state.message),
        ...state.secrets.map((name) => el('p', { class: 'request-warning' }, icon('warning'), el('span', {}, t('"{0}" looks like a secret. No server may ask for secrets in a form; what you enter is sent to it as it is.', name)))),
        this.status,
      ),
      side.element,
    );
    if (state.over !== undefined) this.end(state.over);
  }

  /** Nobody waits any more; what was typed stays to be read and copied. */
  end(text: string): void {
    this.buttons.hidden = true;
    this.status.hidden = false;
    this.status.replaceChildren(icon('info'), el('span', {}, text));
  }

  private press(event: KeyboardEvent): void {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || this.buttons.hidden) return;
    event.preventDefault();
    event.stopPropagation();
    void this.submit();
  }

  private async submit(): Promise<void> {
    const values = await this.options.side.take();
    if (values) this.options.submit(values);
  }
}
