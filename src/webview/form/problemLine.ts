import { t } from '@vscode/l10n';
import { el, icon } from '../page/dom.js';

/** A problem in the list. `path` is the JSON Pointer of its place. */
export interface ProblemItem {
  path: string;
  text: string;
}

/** Number of problems that are shown before the user asks for all. */
const maxShown = 3;

/** The problems above a form, one line each. A click moves to the place of the problem. */
export class ProblemLine {
  readonly element = el('div', { class: 'problem-line', attributes: { role: 'status' } });
  private showsAll = false;

  constructor(private readonly goTo: (path: string) => void) {
    this.element.hidden = true;
  }

  show(problems: readonly ProblemItem[]): void {
    const isNew = this.element.hidden;
    this.element.hidden = problems.length === 0;
    if (problems.length === 0) this.showsAll = false;
    // If there is only one more problem than the limit, that problem is shown as well, because the button would take as
    // much space.
    const shown = this.showsAll || problems.length === maxShown + 1 ? problems : problems.slice(0, maxShown);
    this.element.replaceChildren(
      ...shown.map(({ path, text }) =>
        button(t('Go to this problem'), () => this.goTo(path), icon('error'), el('span', {}, text)),
      ),
    );
    if (shown.length < problems.length)
      this.element.append(
        button(
          t('Show all problems'),
          () => {
            this.showsAll = true;
            this.show(problems);
            this.element.querySelectorAll('button')[maxShown]?.focus();
          },
          icon('chevron-down'),
          el('span', {}, t('More problems: {0}', problems.length - shown.length)),
        ),
      );
    if (isNew && problems.length > 0) requestAnimationFrame(() => this.uncover());
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

function button(title: string, onClick: () => void, ...children: HTMLElement[]): HTMLElement {
  return el('button', { attributes: { type: 'button' }, title, on: { click: onClick } }, ...children);
}
