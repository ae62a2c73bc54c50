import { t } from '@vscode/l10n';
import { el, wordButton } from '../page/dom.js';

interface ResendOptions {
  method: string;
  params: string;
  isMasked: boolean;
  /** Sends the request. Returns the problem, or undefined if the request was sent. */
  send: (params: string) => Promise<string | undefined>;
  cancel: () => void;
}

/** Edits the parameters of a request as JSON and sends it again. */
export class ResendEditor {
  readonly element: HTMLElement;
  private readonly input: HTMLTextAreaElement;
  private readonly problem = el('p', { class: 'problem', id: 'resend-problem', attributes: { role: 'alert' } });

  constructor(private readonly options: ResendOptions) {
    const { method, params, isMasked, cancel } = options;
    const label = t('Parameters of {0}', method);
    this.input = el('textarea', {
      class: 'params',
      attributes: {
        'aria-label': label,
        'aria-describedby': 'resend-problem',
        spellcheck: 'false',
        rows: Math.min(14, Math.max(4, params.split('\n').length)),
      },
      on: { keydown: (event) => this.press(event) },
    });
    this.input.value = params;
    this.problem.hidden = true;
    this.element = el(
      'div',
      { class: 'resend-editor' },
      el('h3', {}, label),
      isMasked &&
        el('p', { class: 'hint' }, t('Secrets are replaced by dots. Enter the secrets in place of the dots.')),
      this.input,
      this.problem,
      el(
        'div',
        { class: 'resend-buttons' },
        wordButton(t('Send'), () => void this.send(), { iconName: 'send', isSecondary: false }),
        wordButton(t('Cancel'), cancel),
      ),
    );
  }

  focus(): void {
    this.input.focus({ preventScroll: true });
    this.input.setSelectionRange(0, 0);
  }

  private press(event: KeyboardEvent): void {
    if (event.key === 'Escape') this.options.cancel();
    else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void this.send();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  private async send(): Promise<void> {
    const problem = await this.options.send(this.input.value);
    this.problem.hidden = problem === undefined;
    this.problem.textContent = problem ?? '';
    this.problem.scrollIntoView({ block: 'nearest' });
    this.input.setAttribute('aria-invalid', String(problem !== undefined));
  }
}
