import { t } from '@vscode/l10n';
import type { GalleryAction, GalleryResults, GalleryRow, ServerKey } from '../../shared/galleryPage.js';
import { el, icon, wordButton } from '../page/dom.js';
import { drawRow } from './drawRow.js';

export interface ResultListOptions {
  select: (key: ServerKey) => void;
  /** Moves the focus to the details. Called when the user presses Enter in the list or double-clicks a row. */
  enter: () => void;
  toSearch: () => void;
  showMore: () => void;
  act: (action: GalleryAction) => void;
}

interface Context {
  query: string;
  isNew: boolean;
  isWaiting: boolean;
  hasSources: boolean;
}

/** The found servers as a list box: the arrow keys select, Enter moves to the details. */
export class ResultList {
  readonly element: HTMLElement;
  private readonly box: HTMLElement;
  private readonly foot = el('div', { class: 'list-foot' });
  private rows: readonly GalleryRow[] = [];
  private items: HTMLElement[] = [];
  private selected: string | undefined;
  private drawn = '';

  constructor(private readonly options: ResultListOptions) {
    this.box = el('div', {
      class: 'results',
      id: 'results',
      attributes: { role: 'listbox', tabindex: 0, 'aria-label': t('Servers') },
      on: { keydown: (event) => this.press(event) },
    });
    this.element = el('div', { class: 'results-scroll' }, this.box, this.foot);
  }

  /**
   * Shows the results.
   * @returns the server to show in the details, if it is not the one that was selected before.
   */
  show({ rows, hasMore }: GalleryResults, context: Context): ServerKey | undefined {
    this.rows = rows;
    const state = JSON.stringify(rows);
    const isOther = state !== this.drawn;
    if (isOther) {
      this.drawn = state;
      this.items = rows.map((row, index) => {
        const item = drawRow(row, `row-${index}`);
        item.addEventListener('click', () => {
          this.select(index);
          this.box.focus();
        });
        item.addEventListener('dblclick', () => this.options.enter());
        return item;
      });
      this.box.replaceChildren(...this.items);
    }
    this.box.hidden = rows.length === 0;
    this.drawFoot(hasMore, context);
    const at = rows.findIndex(({ key }) => keyText(key) === this.selected);
    // A selected server that is no longer found stays in the details. Otherwise, another server could appear under the
    // user's pointer.
    if (!context.isNew && this.selected !== undefined) {
      this.mark(at);
      return undefined;
    }
    if (context.isNew) this.element.scrollTop = 0;
    const before = this.selected;
    this.selected = rows[0] && keyText(rows[0].key);
    this.mark(0);
    return this.selected === before ? undefined : rows[0]?.key;
  }

  focus(): void {
    if (this.rows.length > 0) this.box.focus();
  }

  private get at(): number {
    return this.rows.findIndex(({ key }) => keyText(key) === this.selected);
  }

  private select(index: number): void {
    const row = this.rows[index];
    if (!row) return;
    const isOther = this.selected !== keyText(row.key);
    this.selected = keyText(row.key);
    this.mark(index);
    this.items[index]?.scrollIntoView({ block: 'nearest' });
    if (isOther) this.options.select(row.key);
  }

  private mark(at: number): void {
    for (const [index, item] of this.items.entries()) item.setAttribute('aria-selected', String(index === at));
    if (this.items[at]) this.box.setAttribute('aria-activedescendant', `row-${at}`);
    else this.box.removeAttribute('aria-activedescendant');
  }

  private press(event: KeyboardEvent): void {
    const { at } = this;
    const page = 8;
    const targets: Record<string, number> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      PageDown: Math.min(at + page, this.rows.length - 1),
      PageUp: Math.max(at - page, 0),
      Home: 0,
      End: this.rows.length - 1,
    };
    if (event.key === 'Enter') this.options.enter();
    else if (event.key === 'ArrowUp' && at <= 0) this.options.toSearch();
    else if (event.key in targets) this.select(targets[event.key] ?? at);
    else return;
    event.preventDefault();
  }

  private drawFoot(hasMore: boolean, { query, isWaiting, hasSources }: Context): void {
    if (this.rows.length > 0) {
      this.foot.replaceChildren(...(hasMore ? [wordButton(t('Show More'), this.options.showMore)] : []));
      return;
    }
    const { act } = this.options;
    const text = isWaiting
      ? t('Reading the registries…')
      : !hasSources
        ? t('No registry is configured.')
        : query === ''
          ? t('No server is listed. Update the lists, or choose another registry.')
          : t('No server matches "{0}". Use fewer or other words.', query);
    const buttons = isWaiting
      ? []
      : !hasSources
        ? [wordButton(t('Choose Registries'), () => act('openSettings'), { isSecondary: false })]
        : [
            ...(query === '' ? [wordButton(t('Update Lists'), () => act('refresh'), { isSecondary: false })] : []),
            wordButton(t('Add Server…'), () => act('addServer')),
          ];
    this.foot.replaceChildren(
      el(
        'div',
        { class: 'list-empty', attributes: { role: 'status' } },
        icon(isWaiting ? 'loading codicon-modifier-spin' : 'info'),
        el('p', {}, text),
        el('div', { class: 'buttons' }, ...buttons),
      ),
    );
  }
}

function keyText({ place, name }: ServerKey): string {
  return JSON.stringify([place, name]);
}
