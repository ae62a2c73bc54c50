import { t } from '@vscode/l10n';
import type { JsonCompletion } from '../../../shared/form/jsonEditor/jsonCompletions.js';
import { el, setAttributes } from '../../page/dom.js';

/**
 * The completions at the cursor of a text field. The focus stays in the field, and `aria-activedescendant` refers to
 * the active completion. The field keeps the role `textbox`, because a combobox cannot have several lines.
 */
export class CompletionList {
  readonly element: HTMLElement;
  /** The description of the active completion. */
  private readonly about = el('div', { class: 'json-about' });
  private readonly lines: HTMLElement;
  private shown: readonly JsonCompletion[] = [];
  private active = 0;

  constructor(
    private readonly input: HTMLTextAreaElement,
    private readonly take: (completion: JsonCompletion) => void,
  ) {
    const id = `${input.id}-completions`;
    this.lines = el('div', { id, attributes: { role: 'listbox', 'aria-label': t('Suggestions') } });
    this.element = el('div', { class: 'suggestions json-completions' }, this.lines, this.about);
    this.element.hidden = true;
    this.lines.addEventListener(
      'wheel',
      (event) => {
        this.lines.scrollTop += event.deltaY;
        event.preventDefault();
      },
      { passive: false },
    );
    setAttributes(input, { 'aria-haspopup': 'listbox', 'aria-autocomplete': 'list', 'aria-controls': id });
  }

  get isOpen(): boolean {
    return !this.element.hidden;
  }

  show(completions: readonly JsonCompletion[], { left, top }: { left: number; top: number }): void {
    this.shown = completions;
    this.lines.replaceChildren(...completions.map((completion, index) => this.line(completion, index)));
    this.element.hidden = completions.length === 0;
    this.element.style.left = `${left}px`;
    this.element.style.top = `${top}px`;
    this.activate(0);
  }

  close(): void {
    if (this.isOpen) this.show([], { left: 0, top: 0 });
  }

  /** Handles a key while the list is open. Returns whether the key was handled. */
  press(key: string): boolean {
    if (!this.isOpen) return false;
    const count = this.shown.length;
    const now = this.shown[this.active];
    if (key === 'ArrowDown') this.activate((this.active + 1) % count);
    else if (key === 'ArrowUp') this.activate((this.active + count - 1) % count);
    else if (key === 'PageDown') this.activate(Math.min(count - 1, this.active + 8));
    else if (key === 'PageUp') this.activate(Math.max(0, this.active - 8));
    else if (key === 'Escape') this.close();
    else if ((key === 'Enter' || key === 'Tab') && now) {
      this.close();
      this.take(now);
    } else return false;
    return true;
  }

  private line(completion: JsonCompletion, index: number): HTMLElement {
    const { label, detail } = completion;
    return el(
      'div',
      {
        class: 'suggestion',
        id: `${this.lines.id}-${index}`,
        attributes: { role: 'option', 'aria-selected': 'false' },
        on: {
          // This event is used because it comes before the field loses the focus.
          mousedown: (event) => {
            event.preventDefault();
            this.close();
            this.take(completion);
          },
        },
      },
      el('span', { class: 'suggestion-value' }, label),
      detail !== undefined && el('span', { class: 'suggestion-detail' }, detail),
    );
  }

  private activate(index: number): void {
    this.active = index;
    [...this.lines.children].forEach((line, at) => {
      setAttributes(line, { 'aria-selected': String(at === index) });
      if (at === index) line.scrollIntoView({ block: 'nearest' });
    });
    const { about = '' } = this.shown[index] ?? {};
    this.about.textContent = about;
    this.about.hidden = about === '';
    setAttributes(this.input, {
      'aria-activedescendant': this.isOpen ? `${this.lines.id}-${index}` : undefined,
    });
  }
}
