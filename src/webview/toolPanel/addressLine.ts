import { t } from '@vscode/l10n';
import type { ExpandedUri, ResourceUse } from '../../shared/panel/templatePage.js';
import { el, icon, iconButton, wordButton } from '../page/dom.js';

/**
 * Shows the URI that a template expands to, the problem if there is no valid URI, and buttons for actions on the
 * resource with this URI.
 */
export class AddressLine {
  readonly element: HTMLElement;
  private readonly text = el('code', { class: 'address' });
  private readonly problem = el('p', { class: 'address-problem' });

  constructor(use: (use: ResourceUse) => void) {
    const button = (iconName: string, label: string, what: ResourceUse) => iconButton(iconName, label, () => use(what));
    this.element = el(
      'div',
      { class: 'address-part' },
      el('h2', { class: 'address-title' }, t('URI')),
      el(
        'div',
        { class: 'address-row' },
        this.text,
        button('copy', t('Copy URI'), 'copyUri'),
        button('pin', t('Pin Resource'), 'pin'),
        button('split-horizontal', t('Open to the Side'), 'openToSide'),
      ),
      this.problem,
    );
    this.show({ text: '' });
  }

  show({ text, problem }: ExpandedUri): void {
    this.text.textContent = text;
    this.text.hidden = text === '';
    this.problem.hidden = problem === undefined;
    if (problem !== undefined) this.problem.replaceChildren(icon('info'), el('span', {}, problem));
  }
}

/** The buttons for a resource in the panel head, except the one that opens it. */
export function resourceButtons(use: (use: ResourceUse) => void): HTMLElement[] {
  return [
    wordButton(t('Compare with File…'), () => use('compare'), { iconName: 'diff' }),
    wordButton(t('Save a Copy…'), () => use('save'), { iconName: 'save' }),
  ];
}
