import { t } from '@vscode/l10n';
import { el, icon } from '../page/dom.js';

/** One line above a form that summarizes all problems. A click moves to the first problem. */
export class ProblemLine {
  readonly element = el('div', { class: 'problem-line', attributes: { role: 'status' } });

  constructor(private readonly goTo: (path: string) => void) {
    this.element.hidden = true;
  }

  show(problems: readonly { path: string; text: string }[]): void {
    const [first] = problems;
    const isNew = this.element.hidden;
    this.element.hidden = first === undefined;
    if (!first) {
      this.element.replaceChildren();
      return;
    }
    const more = problems.length > 1 ? t('and {0} more', problems.length - 1) : '';
    this.element.replaceChildren(
      el(
        'button',
        {
          attributes: { type: 'button' },
          title: t('Go to the first problem'),
          on: { click: () => this.goTo(first.path) },
        },
        icon('error'),
        el('span', {}, first.text),
        more !== '' && el('span', { class: 'hint' }, more),
      ),
    );
    if (isNew) requestAnimationFrame(() => this.uncover());
  }

  /** Scrolls so that the sticky line does not cover the focused field. */
  private uncover(): void {
    const side = this.element.closest('.side');
    const active = document.activeElement;
    if (!side || !active || !side.contains(active) || this.element.contains(active)) return;
    const covered =
      this.element.getBoundingClientRect().bottom - (active.closest('.field') ?? active).getBoundingClientRect().top;
    if (covered > 0) side.scrollBy({ top: -covered });
  }
}
