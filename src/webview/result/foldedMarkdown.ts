import { t } from '@vscode/l10n';
import { el } from '../page/dom.js';
import { drawMarkdown } from './drawMarkdown.js';

/** A text with more UTF-16 code units than this, or with more than three lines, is collapsed to its first lines. */
const longText = 240;

/**
 * A text of a server as Markdown. If it is long, only its first lines are shown until the user selects *Show More*.
 *
 * @param openLink opens a web address in the text after the user has agreed.
 */
export function foldedMarkdown(text: string, openLink: (href: string) => void): HTMLElement {
  const drawn = drawMarkdown(text, {
    id: '',
    onRelease: () => undefined,
    send: (request) => {
      if (request.type === 'openLink') openLink(request.href);
    },
  });
  drawn.classList.add('description');
  if (text.length <= longText && text.split('\n').length <= 3) return drawn;
  drawn.classList.add('folded');
  const button = el(
    'button',
    { class: 'link-button', attributes: { type: 'button', 'aria-expanded': 'false' } },
    t('Show More'),
  );
  button.addEventListener('click', () => {
    const isFolded = drawn.classList.toggle('folded');
    button.setAttribute('aria-expanded', String(!isFolded));
    button.textContent = isFolded ? t('Show More') : t('Show Less');
  });
  // The height of the text depends on the width of the page, so the button is shown only while text is hidden.
  new ResizeObserver(() => {
    if (drawn.classList.contains('folded')) button.hidden = drawn.scrollHeight <= drawn.clientHeight + 1;
  }).observe(drawn);
  return el('div', { class: 'long-description' }, drawn, button);
}
