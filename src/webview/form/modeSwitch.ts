import { t } from '@vscode/l10n';
import { el, icon } from '../page/dom.js';

/** Two toggle buttons that switch between form and JSON. */
export class ModeSwitch {
  readonly element: HTMLElement;
  private readonly form: HTMLElement;
  private readonly json: HTMLElement;

  constructor(onChoose: (isJson: boolean) => void) {
    this.form = el(
      'button',
      { class: 'mode', attributes: { type: 'button' }, on: { click: () => onChoose(false) } },
      icon('list-unordered'),
      t('Form'),
    );
    this.json = el(
      'button',
      { class: 'mode', attributes: { type: 'button' }, on: { click: () => onChoose(true) } },
      icon('json'),
      'JSON',
    );
    this.element = el(
      'div',
      { class: 'modes', attributes: { role: 'group', 'aria-label': t('Form or JSON') } },
      this.form,
      this.json,
    );
    this.show(false);
  }

  show(isJson: boolean): void {
    this.form.setAttribute('aria-pressed', String(!isJson));
    this.json.setAttribute('aria-pressed', String(isJson));
  }
}
