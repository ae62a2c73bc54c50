import { t } from '@vscode/l10n';
import { el, setAttributes } from '../page/dom.js';
import { runKeyEvent } from '../page/runKey.js';
import type { Suggestion } from '../../shared/panel/formMessages.js';

export interface SuggestionListOptions {
  /** The label of the field. */
  label: string;
  source: (text: string) => Promise<readonly Suggestion[]>;
  /** Whether the list opens when the field gets the focus. If not, typing or the down arrow key opens it. */
  opensOnFocus: boolean;
  onTake: (value: string) => void;
}

/** Delay between the last keystroke and the request for suggestions, in milliseconds. */
const pauseMs = 120;
const maxShown = 50;

/**
 * A list of suggestions below a text field that accepts any text. Arrow keys select, Enter accepts, and Escape closes.
 */
export class SuggestionList {
  readonly element: HTMLElement;
  private shown: readonly Suggestion[] = [];
  private active = -1;
  private timer: number | undefined;
  private readonly isCombobox: boolean;
  /** Number of the latest request. Responses to earlier requests are ignored. */
  private asked = 0;

  constructor(
    private readonly input: HTMLInputElement | HTMLTextAreaElement,
    private readonly options: SuggestionListOptions,
  ) {
    const id = `${input.id}-list`;
    this.element = el('div', {
      class: 'suggestions',
      id,
      attributes: { role: 'listbox', 'aria-label': t('Suggestions for {0}', options.label) },
    });
    this.element.hidden = true;
    // A multiline field keeps the role of a text box.
    this.isCombobox = input instanceof HTMLInputElement;
    setAttributes(input, {
      role: this.isCombobox && 'combobox',
      'aria-haspopup': !this.isCombobox && 'listbox',
      'aria-autocomplete': 'list',
      'aria-controls': id,
    });
    this.tell();
    input.addEventListener('input', () => this.askSoon());
    if (options.opensOnFocus) input.addEventListener('focus', () => this.askSoon());
    for (const end of ['blur', runKeyEvent]) input.addEventListener(end, () => this.close());
    input.addEventListener('keydown', (event) => this.press(event as KeyboardEvent));
  }

  private askSoon(): void {
    clearTimeout(this.timer);
    const asked = ++this.asked;
    this.timer = window.setTimeout(() => {
      const { source } = this.options;
      source(this.input.value).then(
        (found) => {
          if (asked === this.asked && document.activeElement === this.input) this.show(found.slice(0, maxShown));
        },
        // A failure is ignored, because the field also works without suggestions.
        () => this.close(),
      );
    }, pauseMs);
  }

  private show(found: readonly Suggestion[]): void {
    this.shown = found;
    this.active = -1;
    this.element.replaceChildren(
      ...found.map(({ value, label = value, detail }, index) =>
        el(
          'div',
          {
            class: 'suggestion',
            id: `${this.input.id}-${index}`,
            attributes: { role: 'option', 'aria-selected': 'false' },
            // This event is used because it comes before the field loses the focus.
            on: {
              mousedown: (event) => {
                event.preventDefault();
                this.take(index);
              },
            },
          },
          el('span', { class: 'suggestion-value' }, label),
          detail !== undefined && el('span', { class: 'suggestion-detail' }, detail),
        ),
      ),
    );
    this.element.hidden = found.length === 0;
    this.tell();
  }

  private tell(): void {
    setAttributes(this.input, {
      'aria-expanded': this.isCombobox && String(this.shown.length > 0),
      'aria-activedescendant': undefined,
    });
  }

  private close(): void {
    clearTimeout(this.timer);
    this.asked++;
    this.show([]);
  }

  private take(index: number): void {
    const suggestion = this.shown[index];
    this.close();
    if (suggestion) this.options.onTake(suggestion.value);
    this.close();
  }

  private press(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey) return;
    if (this.element.hidden) {
      if (event.key === 'ArrowDown' && this.input.value.length === (this.input.selectionEnd ?? 0)) this.askSoon();
      return;
    }
    const count = this.shown.length;
    if (event.key === 'ArrowDown') this.activate((this.active + 1) % count);
    else if (event.key === 'ArrowUp') this.activate((this.active + count + (this.active < 0 ? 0 : -1)) % count);
    else if (event.key === 'Enter' && this.active >= 0) this.take(this.active);
    else if (event.key === 'Escape') this.close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  private activate(index: number): void {
    this.active = index;
    [...this.element.children].forEach((line, at) => {
      setAttributes(line, { 'aria-selected': String(at === index) });
      if (at === index) line.scrollIntoView({ block: 'nearest' });
    });
    setAttributes(this.input, { 'aria-activedescendant': `${this.input.id}-${index}` });
  }
}
