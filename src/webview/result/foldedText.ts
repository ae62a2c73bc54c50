import { t } from '@vscode/l10n';
import { el, icon, setAttributes } from '../page/dom.js';

/** Maximum number of UTF-16 code units and of lines of a text in a cell. A longer text is collapsed. */
const maxText = 160;
const maxLines = 3;

/** Whether a text is so long that only its beginning is shown at first. */
export function isFoldable(text: string): boolean {
  return text.length > maxText || text.split('\n', maxLines + 1).length > maxLines;
}

/**
 * The beginning of a long text and a button that shows the rest. The text comes first and the button contains no text,
 * so that an offset in the text is also an offset in the cell.
 * @param onToggle called when the user collapses or expands the text.
 */
export function foldedText(text: string, isOpen: boolean, onToggle: (isFolded: boolean) => void): Node[] {
  const shown = document.createTextNode('');
  const button = el('button', { class: 'result-icon-button result-fold', attributes: { type: 'button' } });
  const draw = () => {
    shown.data = isOpen ? text : `${beginningOf(text)}…`;
    button.title = isOpen ? t('Show Less') : t('Show More');
    button.replaceChildren(icon(isOpen ? 'chevron-up' : 'chevron-down'));
    setAttributes(button, { 'aria-label': button.title, 'aria-expanded': String(isOpen) });
  };
  button.addEventListener('click', () => {
    isOpen = !isOpen;
    draw();
    onToggle(!isOpen);
  });
  draw();
  return [shown, button];
}

function beginningOf(text: string): string {
  return text
    .slice(0, maxText * 0.75)
    .split('\n', maxLines)
    .join('\n')
    .trimEnd();
}
