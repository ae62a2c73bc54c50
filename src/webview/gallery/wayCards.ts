import { t } from '@vscode/l10n';
import type { WayOffer } from '../../shared/galleryPage.js';
import { el, icon } from '../page/dom.js';
import { needBadge } from './drawRow.js';

/** The packages and remotes side by side, as a group of radio buttons. */
export class WayCards {
  readonly element: HTMLElement;
  private readonly cards: HTMLElement[];

  constructor(
    private readonly ways: readonly WayOffer[],
    public selected: string | undefined,
    private readonly choose: (way: string) => void,
  ) {
    this.cards = ways.map((way, index) => this.card(way, index));
    this.element = el(
      'div',
      { class: 'ways', attributes: { role: 'radiogroup', 'aria-label': t('Packages and addresses') } },
      ...this.cards,
    );
    this.element.hidden = ways.length === 0;
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
      this.ways.findIndex(({ id }) => id === this.selected),
    );
  }

  private card({ type, what, need, problem }: WayOffer, index: number): HTMLElement {
    return el(
      'div',
      {
        class: 'way',
        attributes: { role: 'radio' },
        on: { click: () => this.select(index), keydown: (event) => this.press(event, index) },
      },
      el('div', { class: 'way-type' }, type),
      el('div', { class: 'way-what' }, what),
      el(
        'div',
        { class: 'way-needs' },
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
    const way = this.ways[index];
    if (!way) return;
    const isOther = way.id !== this.selected;
    this.selected = way.id;
    this.mark();
    this.cards[index]?.focus();
    if (isOther) this.choose(way.id);
  }

  private mark(): void {
    const { at } = this;
    for (const [index, card] of this.cards.entries()) {
      card.setAttribute('aria-checked', String(index === at && this.selected !== undefined));
      card.setAttribute('tabindex', index === at ? '0' : '-1');
    }
  }
}
