import { t } from '@vscode/l10n';
import type { InstallOption } from '../../shared/galleryPage.js';
import { el, icon } from '../page/dom.js';
import { needBadge } from './drawRow.js';

/** The packages and remotes side by side, as a group of radio buttons. */
export class OptionCards {
  readonly element: HTMLElement;
  private readonly cards: HTMLElement[];

  constructor(
    private readonly options: readonly InstallOption[],
    public selected: string | undefined,
    private readonly choose: (option: string) => void,
  ) {
    this.cards = options.map((option, index) => this.card(option, index));
    this.element = el(
      'div',
      { class: 'install-options', attributes: { role: 'radiogroup', 'aria-label': t('Packages and URLs') } },
      ...this.cards,
    );
    this.element.hidden = options.length === 0;
    this.mark();
  }

  /** Moves the focus to the selected card. Returns false if there is none. */
  focus(): boolean {
    const card = this.cards[this.at];
    card?.focus();
    return card !== undefined;
  }

  private get at(): number {
    return Math.max(
      0,
      this.options.findIndex(({ id }) => id === this.selected),
    );
  }

  private card({ type, what, need, problem }: InstallOption, index: number): HTMLElement {
    return el(
      'div',
      {
        class: 'install-option',
        attributes: { role: 'radio' },
        on: { click: () => this.select(index), keydown: (event) => this.press(event, index) },
      },
      el('div', { class: 'install-option-type' }, type),
      el('div', { class: 'install-option-what' }, what),
      el(
        'div',
        { class: 'install-option-needs' },
        need && needBadge(need),
        problem !== undefined && el('span', { class: 'badge badge-warning' }, icon('circle-slash'), t('Not supported')),
      ),
    );
  }

  private press(event: KeyboardEvent, index: number): void {
    const next = ['ArrowRight', 'ArrowDown'].includes(event.key);
    const back = ['ArrowLeft', 'ArrowUp'].includes(event.key);
    const count = this.cards.length;
    if (next || back) this.select((index + (next ? 1 : count - 1)) % count);
    else if (event.key === ' ' || event.key === 'Enter') this.select(index);
    else return;
    event.preventDefault();
  }

  private select(index: number): void {
    const option = this.options[index];
    if (!option) return;
    const isOther = option.id !== this.selected;
    this.selected = option.id;
    this.mark();
    this.cards[index]?.focus();
    if (isOther) this.choose(option.id);
  }

  private mark(): void {
    const { at } = this;
    for (const [index, card] of this.cards.entries()) {
      card.setAttribute('aria-checked', String(index === at && this.selected !== undefined));
      card.setAttribute('tabindex', index === at ? '0' : '-1');
    }
  }
}
