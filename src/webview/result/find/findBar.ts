import { t } from '@vscode/l10n';
import { maxHits, patternOf } from '../../../shared/result/findText.js';
import { el, iconButton } from '../../page/dom.js';
import type { FindHit, Findables } from './findable.js';
import { markHits, showHit } from './marks.js';

/** Number of hits that are marked before the current hit, and after it. */
const markedAround = 200;

/**
 * The find box of a result. Searches the selected tab of the result, including content that is not drawn yet. Enter and
 * Shift+Enter move between the hits, and Escape closes the box.
 */
export class FindBar {
  readonly element: HTMLElement;
  private readonly input: HTMLInputElement;
  private readonly count = el('span', { class: 'find-count', attributes: { role: 'status' } });
  private readonly filterButton: HTMLButtonElement;
  private hits: readonly FindHit[] = [];
  private index = -1;
  private isFiltered = false;
  private isStale = false;
  /** The element that had the focus before the box was opened. */
  private before: HTMLElement | undefined;

  constructor(private readonly parts: Findables) {
    this.input = el('input', {
      class: 'input',
      attributes: { type: 'text', 'aria-label': t('Find in Result'), placeholder: t('Find'), spellcheck: 'false' },
      on: { input: () => this.search() },
    });
    this.filterButton = iconButton('list-filter', t('Show Only Matches'), () => this.toggleFilter());
    this.filterButton.setAttribute('aria-pressed', 'false');
    this.element = el(
      'div',
      { class: 'find-bar', attributes: { role: 'search' }, on: { keydown: (event) => this.press(event) } },
      this.input,
      this.filterButton,
      this.count,
      iconButton('arrow-up', t('Previous Match (Shift+Enter)'), () => this.move(-1)),
      iconButton('arrow-down', t('Next Match (Enter)'), () => this.move(1)),
      iconButton('close', t('Close (Escape)'), () => this.close()),
    );
    this.element.hidden = true;
    parts.onChange = () => this.partsChanged();
  }

  /** Opens the box with the selected text, or moves the focus to it. */
  open(): void {
    if (this.element.hidden)
      this.before = document.activeElement instanceof HTMLElement ? document.activeElement : undefined;
    const selected = String(getSelection() ?? '');
    this.element.hidden = false;
    if (selected !== '' && selected.length <= 200 && !selected.includes('\n')) this.input.value = selected;
    this.input.focus();
    this.input.select();
    this.search();
  }

  close(): void {
    this.element.hidden = true;
    if (this.isFiltered) this.toggleFilter();
    this.hits = [];
    markHits([], undefined);
    const { before } = this;
    if (before?.isConnected === true) before.focus();
  }

  get isOpen(): boolean {
    return !this.element.hidden;
  }

  /** Moves to the next or previous hit, and wraps around at the ends. */
  move(step: 1 | -1): void {
    if (this.isStale) this.search(this.index);
    const { length } = this.hits;
    if (length === 0) return;
    this.index = (this.index + step + length) % length;
    this.show();
  }

  private press(event: KeyboardEvent): void {
    if (event.key === 'Escape') this.close();
    else if (event.key === 'Enter' && event.target === this.input) this.move(event.shiftKey ? -1 : 1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  private toggleFilter(): void {
    this.isFiltered = !this.isFiltered;
    this.filterButton.setAttribute('aria-pressed', String(this.isFiltered));
    if (!this.isFiltered) for (const part of this.parts.list()) part.filter?.(undefined);
    if (!this.element.hidden) this.search();
  }

  /** Searches again and shows the hit at `index`. Default: the first one. */
  private search(index = 0): void {
    this.isStale = false;
    const pattern = patternOf(this.input.value);
    if (this.isFiltered) for (const part of this.parts.list()) part.filter?.(pattern);
    this.hits = pattern ? this.parts.find(pattern) : [];
    this.index = this.hits.length === 0 ? -1 : Math.min(Math.max(index, 0), this.hits.length - 1);
    this.show();
  }

  /**
   * Called when a part of the result was drawn, for example another tab. The search waits until all parts that are
   * drawn together have been added.
   */
  private partsChanged(): void {
    if (!this.isOpen || this.isStale) return;
    this.isStale = true;
    queueMicrotask(() => {
      if (this.isOpen && this.isStale) this.search(this.index);
    });
  }

  private show(): void {
    const current = this.hits[this.index]?.reveal();
    // The hit may be in the part of the text that an ellipsis replaces.
    current?.startContainer.parentElement?.closest('.result-one-line')?.classList.add('result-whole');
    const around = this.hits.slice(Math.max(0, this.index - markedAround), this.index + markedAround);
    markHits(
      around.flatMap((hit) => drawnRange(hit)),
      current,
    );
    if (current) showHit(current);
    this.count.textContent = this.countText();
    this.count.classList.toggle('find-none', this.input.value !== '' && this.hits.length === 0);
  }

  private countText(): string {
    if (this.input.value === '') return '';
    const isCut = this.parts.list().some((part) => part.isCut === true);
    const { length } = this.hits;
    const counted =
      length === 0
        ? t('No results')
        : t('{0} of {1}', this.index + 1, length >= maxHits ? `${maxHits}+` : String(length));
    return isCut ? t('{0} in the part shown here', counted) : counted;
  }
}

/** The range of a hit that is already drawn and expanded. Empty for other hits. */
function drawnRange(hit: FindHit): Range[] {
  const range = hit.peek?.();
  return range ? [range] : [];
}

/**
 * Calls `open` for Ctrl+F and Cmd+F, and `move` for F3 and Ctrl+G or Cmd+G with and without Shift. Both functions
 * return whether they handled the key. If they did not, the key keeps its default action.
 */
export function onFindKeys({ open, move }: { open: () => boolean; move: (step: 1 | -1) => boolean }): void {
  document.addEventListener('keydown', (event) => {
    const { key, shiftKey, altKey } = event;
    const isCommand = (event.ctrlKey || event.metaKey) && !altKey;
    const isMove = key === 'F3' || (isCommand && key.toLowerCase() === 'g');
    const isUsed = isMove ? move(shiftKey ? -1 : 1) : isCommand && !shiftKey && key.toLowerCase() === 'f' && open();
    if (isUsed) event.preventDefault();
  });
}
