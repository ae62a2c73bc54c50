import { t } from '@vscode/l10n';
import type { Field, Form } from '../../../shared/form/form.js';
import type { JsonCompletion } from '../../../shared/form/jsonEditor/jsonCompletions.js';
import { jsonCompletions } from '../../../shared/form/jsonEditor/jsonCompletions.js';
import type { TextEdit } from '../../../shared/form/jsonEditor/jsonTyping.js';
import { lineStart, typed } from '../../../shared/form/jsonEditor/jsonTyping.js';
import type { TextRange } from '../../../shared/form/looseJson.js';
import { el, setAttributes } from '../../page/dom.js';
import { runKeyEvent } from '../../page/runKey.js';
import { CompletionList } from './completionList.js';
import { PaintedText } from './paintedText.js';

export interface JsonEditorOptions {
  form: Form;
  /** The field whose value is edited. */
  field: Field;
  id: string;
  /** The accessible name. Absent if a label names the field. */
  label?: string | undefined;
  describedBy?: string;
  placeholder?: string;
  /** Whether to show line numbers and the position of the cursor. */
  isWhole?: boolean;
  onInput: () => void;
}

/**
 * A text field for JSON: colors, marked problems, completions, pairs of brackets, and indentation. After the user has
 * worked in the text, Tab indents. Before that, and after Escape, Tab leaves the field.
 */
export class JsonEditor {
  readonly element: HTMLElement;
  readonly text: HTMLTextAreaElement;
  private readonly paint = new PaintedText();
  private readonly numbers = el('div', { class: 'json-numbers', attributes: { 'aria-hidden': 'true' } });
  private readonly position = el('span');
  private readonly list: CompletionList;
  private lines = 0;
  private marks: readonly TextRange[] = [];
  /** Whether the next Tab leaves the field. */
  private isLeaving = true;

  constructor(private readonly options: JsonEditorOptions) {
    const { id, label, describedBy, isWhole = false, placeholder } = options;
    const help = `${id}-keys`;
    this.text = el('textarea', {
      class: isWhole ? 'input json whole' : 'input json',
      id,
      attributes: {
        rows: 3,
        wrap: 'off',
        spellcheck: 'false',
        autocapitalize: 'off',
        autocomplete: 'off',
        'aria-label': label,
        'aria-describedby': [describedBy, help].filter((one) => one !== undefined).join(' '),
        placeholder,
      },
      on: {
        input: (event) => this.changed(event as InputEvent),
        keydown: (event) => this.press(event),
        focus: () => (this.isLeaving = true),
        pointerdown: () => (this.isLeaving = false),
        blur: () => this.list.close(),
      },
    });
    this.list = new CompletionList(this.text, (completion) => this.take(completion));
    const keys = t('Tab indents. To leave the editor, press Escape, and then Tab. For suggestions, press Ctrl+Space.');
    this.element = el(
      'div',
      { class: isWhole ? 'json-editor numbered' : 'json-editor' },
      el('div', { class: 'json-scroll' }, isWhole && this.numbers, this.text, this.paint.element),
      this.list.element,
      el('div', { class: isWhole ? 'json-status' : 'spoken' }, this.position, el('span', { id: help }, keys)),
    );
    this.text.addEventListener(runKeyEvent, () => this.list.close());
    if (isWhole) this.text.addEventListener('selectionchange', () => this.showPosition());
    this.draw();
  }

  get value(): string {
    return this.text.value;
  }

  /** Replaces the whole text. The user cannot undo this. */
  set value(value: string) {
    if (value === this.text.value) return;
    this.text.value = value;
    this.marks = [];
    this.draw();
  }

  focus(): void {
    this.text.focus();
  }

  /** Underlines the places of problems. */
  mark(ranges: readonly TextRange[]): void {
    setAttributes(this.text, { 'aria-invalid': ranges.length > 0 ? 'true' : undefined });
    if (JSON.stringify(ranges) === JSON.stringify(this.marks)) return;
    this.marks = ranges;
    this.draw();
  }

  /** Selects a place and scrolls to it. */
  reveal({ from, to }: TextRange): void {
    this.text.focus();
    this.text.setSelectionRange(from, Math.min(to, this.text.value.length));
    const scroll = this.text.parentElement;
    const at = this.paint.pointAt(this.text.value, from);
    const box = scroll?.getBoundingClientRect();
    if (scroll && box && (at.left < box.left || at.left > box.right))
      scroll.scrollLeft += at.left - box.left - box.width / 2;
    this.paint.element.querySelector('.json-mark')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    this.showPosition();
  }

  private press(event: KeyboardEvent): void {
    if (event.isComposing || event.altKey) return;
    const isSpace = event.key === ' ' && event.ctrlKey;
    if ((event.ctrlKey || event.metaKey) && !isSpace) return;
    if (isSpace) this.complete();
    else if (this.list.press(event.key)) this.isLeaving = false;
    else if (event.key === 'Escape') {
      this.isLeaving = true;
      return;
    } else if (event.key === 'Tab' && this.isLeaving) return;
    else if (event.key !== 'Shift') {
      this.isLeaving = false;
      if (!this.apply(event)) return;
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Returns whether the key was handled. */
  private apply({ key, shiftKey }: KeyboardEvent): boolean {
    const { value, selectionStart: start, selectionEnd: end } = this.text;
    const name = shiftKey && key === 'Tab' ? 'Shift+Tab' : key;
    const edit = typed(value, { start, end }, name);
    if (edit) this.edit(edit);
    if (edit && name === '"') this.complete();
    return edit !== undefined || key === 'Tab';
  }

  /** Changes the text as typing does, so that it can be undone. */
  private edit({ from, to, text, start, end }: TextEdit): void {
    if (from !== to || text !== '') {
      this.text.setSelectionRange(from, to);
      // Other ways to change the text would delete the undo history of the field.
      document.execCommand(text === '' ? 'delete' : 'insertText', false, text);
    }
    this.text.setSelectionRange(start, end);
  }

  private take({ from, to, text, caret, goesOn }: JsonCompletion): void {
    this.edit({ from, to, text, start: caret, end: caret });
    if (goesOn) this.complete();
  }

  private changed({ inputType, data }: InputEvent): void {
    // Typing moves the marked ranges, so the marks are removed until the next check.
    this.marks = [];
    this.draw();
    this.options.onInput();
    const isTyped = inputType === 'insertText' && data !== null && /^[\w"$-]$/.test(data);
    if (isTyped || (this.list.isOpen && inputType.startsWith('delete'))) this.complete();
    else this.list.close();
  }

  private complete(): void {
    const { form, field } = this.options;
    const { value, selectionStart: at, selectionEnd: end } = this.text;
    if (at !== end) return;
    const found = jsonCompletions(form, field, value, at).filter(
      ({ text, from, to }) => value.slice(from, to) !== text,
    );
    const point = this.paint.pointAt(value, at);
    const box = this.element.getBoundingClientRect();
    const left = Math.max(0, Math.min(point.left - box.left, box.width - 260));
    this.list.show(found, { left, top: point.bottom - box.top + 2 });
  }

  private draw(): void {
    const { value } = this.text;
    const isColored = this.paint.draw(value, this.marks);
    this.element.classList.toggle('plain', !isColored);
    const count = value.split('\n').length;
    if (this.options.isWhole !== true) return;
    if (this.lines !== count) this.numbers.textContent = Array.from({ length: count }, (_, at) => at + 1).join('\n');
    this.lines = count;
    this.showPosition();
  }

  private showPosition(): void {
    const { value, selectionEnd: at } = this.text;
    const first = lineStart(value, at);
    this.position.textContent = t('Ln {0}, Col {1}', value.slice(0, first).split('\n').length, at - first + 1);
  }
}
