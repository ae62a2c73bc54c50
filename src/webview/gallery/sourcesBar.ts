import { t } from '@vscode/l10n';
import type { GalleryAction, SourceLine } from '../../shared/galleryPage.js';
import { el, icon, iconButton, wordButton } from '../page/dom.js';

/**
 * The sources: the age of each list, each problem with a button for the next step, and the buttons for all sources.
 */
export class SourcesBar {
  readonly element = el('div', { class: 'sources', attributes: { role: 'group', 'aria-label': t('Registries') } });
  private drawn = '';

  constructor(private readonly act: (action: GalleryAction, place?: string) => void) {}

  show(sources: readonly SourceLine[], note: string | undefined): void {
    const state = JSON.stringify([sources, note]);
    // Drawing the bar again would take the focus away from its buttons.
    if (state === this.drawn) return;
    this.drawn = state;
    const hadFocus = this.element.contains(document.activeElement);
    this.element.replaceChildren(
      el(
        'div',
        { class: 'sources-line' },
        el('ul', { class: 'source-list' }, ...sources.map((source) => sourceItem(source))),
        el(
          'div',
          { class: 'sources-buttons' },
          iconButton('refresh', t('Update Lists'), () => this.act('refresh')),
          iconButton('gear', t('Choose Registries'), () => this.act('openSettings')),
        ),
      ),
      ...sources.flatMap(({ place, name, problem }) => (problem ? [this.problemLine(place, name, problem)] : [])),
      ...(note === undefined ? [] : [el('p', { class: 'source-note' }, icon('info'), el('span', {}, note))]),
    );
    if (hadFocus) this.element.querySelector('button')?.focus();
  }

  private problemLine(place: string, name: string, problem: NonNullable<SourceLine['problem']>): HTMLElement {
    const { text, action, label } = problem;
    return el(
      'div',
      { class: 'source-problem', attributes: { role: 'status' } },
      icon('warning'),
      el('span', {}, `${name}: ${text}`),
      action !== undefined && label !== undefined && wordButton(label, () => this.act(action, place)),
    );
  }
}

function sourceItem({ name, text, isUpdating }: SourceLine): HTMLElement {
  return el(
    'li',
    { class: 'source' },
    isUpdating && icon('loading codicon-modifier-spin'),
    el('span', { class: 'source-name' }, name),
    text !== '' && el('span', { class: 'hint' }, text),
  );
}
