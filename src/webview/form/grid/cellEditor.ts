import { t } from '@vscode/l10n';
import type { FormNode } from '../../../shared/form/form.js';
import { el } from '../../page/dom.js';

/** Where the focus goes after an edit: to the next cell in a direction, or to the same cell (`stay`). */
export type EditEnd = 'down' | 'right' | 'left' | 'stay';

export interface CellEditorOptions {
  node: FormNode;
  label: string;
  text: string;
  isRequired: boolean;
  /** Called once, with the text to use. Without a text, the cell keeps its value. */
  onEnd: (text: string | undefined, end: EditEnd) => void;
  /** Called after the end of the edit if the user pasted several rows or cells. */
  onPaste: (text: string) => void;
}

/**
 * The control that edits the value of a cell inside the cell: a text field, or a selection of the values that the
 * schema lists.
 */
export class CellEditor {
  readonly element: HTMLTextAreaElement | HTMLSelectElement;
  private isOver = false;

  constructor(private readonly options: CellEditorOptions) {
    const choices = choicesOf(options);
    const attributes = { 'aria-label': options.label, spellcheck: 'false', rows: 1 };
    this.element =
      choices === undefined
        ? el('textarea', { class: 'cell-editor', attributes })
        : el(
            'select',
            { class: 'cell-editor', attributes },
            ...choices.map(({ text, label }) => el('option', { attributes: { value: text } }, label)),
          );
    this.element.value = options.text;
    this.element.addEventListener('keydown', (event) => this.press(event as KeyboardEvent));
    this.element.addEventListener('blur', () => this.end('stay', this.element.value));
    this.element.addEventListener('paste', (event) => {
      const text = (event as ClipboardEvent).clipboardData?.getData('text/plain') ?? '';
      // A single value is inserted into the text. If the cell is empty, several values are pasted as rows.
      if (this.element.value !== '' || !/[\t\n]/.test(text.trimEnd())) return;
      event.preventDefault();
      this.end('stay', undefined);
      options.onPaste(text);
    });
  }

  focus(isAll: boolean): void {
    this.element.focus();
    if (isAll && this.element instanceof HTMLTextAreaElement) this.element.select();
  }

  /** Ends the edit, and keeps its text. */
  settle(): void {
    this.end('stay', this.element.value);
  }

  private press(event: KeyboardEvent): void {
    event.stopPropagation();
    if (event.isComposing) return;
    const { key, shiftKey } = event;
    if (key === 'Enter' && (event.altKey || shiftKey) && this.element instanceof HTMLTextAreaElement) {
      event.preventDefault();
      document.execCommand('insertText', false, '\n');
    } else if (key === 'Enter' || key === 'Tab') {
      event.preventDefault();
      this.end(key === 'Enter' ? 'down' : shiftKey ? 'left' : 'right', this.element.value);
    } else if (key === 'Escape') {
      event.preventDefault();
      this.end('stay', undefined);
    }
  }

  private end(end: EditEnd, text: string | undefined): void {
    if (this.isOver) return;
    this.isOver = true;
    this.options.onEnd(text === this.options.text ? undefined : text, end);
  }
}

function choicesOf({ node, text, isRequired }: CellEditorOptions): { text: string; label: string }[] | undefined {
  const labels =
    node.kind === 'choice'
      ? node.options.map(({ label }) => label)
      : node.kind === 'constant'
        ? [node.label]
        : node.kind === 'switch'
          ? ['true', 'false']
          : undefined;
  if (!labels) return undefined;
  const choices = labels.map((label) => ({ text: label, label }));
  // A text that is not one of the choices is added to them, so that it is kept until the user selects another value.
  if (text !== '' && !labels.includes(text)) choices.unshift({ text, label: text });
  if (!isRequired || text === '') choices.unshift({ text: '', label: t('Not set') });
  return choices;
}
