import { t } from '@vscode/l10n';
import type { PartEdit, SamplingPart } from '../../shared/panel/samplingPage.js';
import { el, icon } from '../page/dom.js';

/** Number of parts that are drawn per animation frame. */
const sliceSize = 40;

const icons: Record<SamplingPart['kind'], string> = {
  system: 'gear',
  user: 'account',
  assistant: 'sparkle',
  fixed: 'lock',
};

/** A list of parts that the user edits and removes. A removed part can be restored with its edits. */
export class PartList {
  readonly element = el('div', { class: 'parts' });
  private readonly changes = new Map<number, PartEdit>();

  /** @param canRemove whether the user can remove parts. Default: true. */
  constructor(
    private readonly parts: readonly SamplingPart[],
    edits: readonly PartEdit[],
    private readonly onChange: () => void,
    private readonly canRemove = true,
  ) {
    for (const edit of edits) if (parts[edit.index]) this.changes.set(edit.index, edit);
    this.draw(0);
  }

  /** The parts that the user changed. */
  get edits(): PartEdit[] {
    return [...this.changes.values()];
  }

  focus(): void {
    this.element.querySelector('textarea')?.focus();
  }

  private draw(from: number): void {
    const end = from + sliceSize;
    this.element.append(...this.parts.slice(from, end).map((part) => this.drawPart(part)));
    if (end < this.parts.length) requestAnimationFrame(() => this.draw(end));
  }

  private drawPart(part: SamplingPart): HTMLElement {
    const { index, kind, label, hint, warning, isEditable } = part;
    const name = hint === undefined ? label : `${label}, ${hint}`;
    const body = isEditable ? this.editor(part, name) : shownText(part, name);
    const section = el('section', { class: `part part-${kind}`, attributes: { 'aria-label': name } });
    const removed = el('span', { class: 'hint' }, t('not sent'));
    const button = el('button', {
      class: 'link-button',
      attributes: { type: 'button' },
      on: {
        click: () => {
          this.change(index, { isRemoved: this.changes.get(index)?.isRemoved ? undefined : true });
          show();
        },
      },
    });
    const show = () => {
      const isRemoved = this.changes.get(index)?.isRemoved === true;
      section.classList.toggle('removed', isRemoved);
      removed.hidden = !isRemoved;
      body.hidden = isRemoved;
      button.textContent = isRemoved ? t('Restore') : t('Remove');
      button.setAttribute('aria-label', isRemoved ? t('Restore {0}', name) : t('Remove {0}', name));
    };
    const head = el(
      'div',
      { class: 'part-head' },
      icon(icons[kind]),
      el('h3', {}, label),
      hint !== undefined && el('span', { class: 'hint' }, hint),
      warning !== undefined && el('span', { class: 'part-warning' }, icon('warning'), warning),
      removed,
      el('span', { class: 'part-space' }),
      this.canRemove && button,
    );
    section.append(head, body);
    show();
    return section;
  }

  private editor({ index, text }: SamplingPart, name: string): HTMLElement {
    const input = el('textarea', { class: 'input', attributes: { 'aria-label': name, rows: 1, spellcheck: 'false' } });
    input.value = this.changes.get(index)?.text ?? text;
    input.addEventListener('input', () => this.change(index, { text: input.value === text ? undefined : input.value }));
    return input;
  }

  private change(index: number, news: { text?: string | undefined; isRemoved?: true | undefined }): void {
    const { text, isRemoved } = { ...this.changes.get(index), ...news };
    this.changes.delete(index);
    if (text !== undefined || isRemoved)
      this.changes.set(index, { index, ...(text === undefined ? {} : { text }), ...(isRemoved ? { isRemoved } : {}) });
    this.onChange();
  }
}

function shownText({ text }: SamplingPart, name: string): HTMLElement {
  return el('pre', { class: 'part-text', attributes: { tabindex: 0, role: 'group', 'aria-label': name } }, text);
}
