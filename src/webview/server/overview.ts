import { t } from '@vscode/l10n';
import type { ServerOverview } from '../../shared/serverPage.js';
import { el, wordButton } from '../page/dom.js';
import type { Child } from '../page/dom.js';
import { isWebAddress, quietLink } from '../result/controls.js';
import { foldedMarkdown } from '../result/foldedMarkdown.js';

interface Acts {
  openLink: (href: string) => void;
  copyAnswer: () => void;
}

/**
 * Draws the information that the server sent about itself: its name, its instructions, its capabilities, and its answer
 * to the handshake.
 */
export function drawOverview(overview: ServerOverview, { openLink, copyAnswer }: Acts): Child[] {
  const { title, name, version, description, website, capabilities, instructions, answer } = overview;
  const isLight = document.body.classList.contains('vscode-light');
  const icon =
    overview.icons.find(({ theme }) => theme === (isLight ? 'light' : 'dark')) ??
    overview.icons.find(({ theme }) => theme === undefined);
  return [
    icon && el('img', { class: 'overview-icon', attributes: { src: icon.src, alt: '' } }),
    el(
      'div',
      { class: 'overview-text' },
      el(
        'div',
        { class: 'head-line' },
        el('h2', {}, title),
        name !== undefined && el('code', { class: 'value' }, name),
        version !== undefined && el('span', { class: 'badge' }, t('Version {0}', version)),
        website !== undefined && isWebAddress(website) && quietLink(website, website, () => openLink(website)),
      ),
      el('p', { class: 'hint' }, t('The server says this about itself. MCP Deck did not verify it.')),
      description !== undefined && el('p', {}, description),
      el(
        'div',
        {},
        el('h3', {}, t('Capabilities')),
        capabilities.length === 0
          ? el('p', { class: 'hint' }, t('none'))
          : el('ul', { class: 'chips' }, ...capabilities.map((text) => el('li', { class: 'badge' }, text))),
      ),
      instructions !== undefined &&
        instructions !== '' &&
        el(
          'div',
          { class: 'overview-instructions' },
          el('h3', {}, t('Instructions')),
          foldedMarkdown(instructions, openLink),
        ),
      answer && drawAnswer(answer, copyAnswer),
    ),
  ];
}

function drawAnswer({ method, json, isWhole }: NonNullable<ServerOverview['answer']>, copy: () => void): HTMLElement {
  const label = t('Result of "{0}" as JSON', method);
  const details = el(
    'details',
    { class: 'answer' },
    el('summary', {}, label),
    el('div', { class: 'buttons' }, wordButton(t('Copy'), copy, { iconName: 'copy' })),
  );
  // The JSON can be long, so it is drawn when the user opens it for the first time.
  details.addEventListener(
    'toggle',
    () =>
      details.append(
        el('pre', { class: 'output', attributes: { tabindex: 0, 'aria-label': label } }, json),
        ...(isWhole ? [] : [el('p', { class: 'hint' }, t('Only the beginning is shown here.'))]),
      ),
    { once: true },
  );
  return details;
}
