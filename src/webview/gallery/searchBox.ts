import { t } from '@vscode/l10n';
import { el, icon, setAttributes } from '../page/dom.js';

/** Delay between the last keystroke and the search, in milliseconds. */
const pauseMs = 60;

/** The field for the query. Searches while the user types; the down arrow key and Enter move to the list. */
export class SearchBox {
  readonly element: HTMLElement;
  private readonly input: HTMLInputElement;
  private timer: number | undefined;

  constructor(query: string, { search, toList }: { search: (query: string) => void; toList: () => void }) {
    const later = () => {
      clearTimeout(this.timer);
      this.timer = window.setTimeout(() => search(this.query), pauseMs);
    };
    this.input = document.createElement('input');
    this.input.className = 'search-input';
    setAttributes(this.input, {
      type: 'search',
      spellcheck: 'false',
      placeholder: t('Name, title, publisher, or description'),
      'aria-label': t('Search servers'),
      'aria-controls': 'results',
    });
    this.input.addEventListener('input', later);
    this.input.addEventListener('keydown', (event) => {
      if (event.key !== 'ArrowDown' && event.key !== 'Enter') return;
      event.preventDefault();
      toList();
    });
    this.input.value = query;
    this.element = el('div', { class: 'search' }, icon('search'), this.input);
  }

  get query(): string {
    return this.input.value.trim();
  }

  focus(): void {
    this.input.focus();
    this.input.select();
  }
}
