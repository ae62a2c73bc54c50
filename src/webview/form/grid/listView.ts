import { t } from '@vscode/l10n';
import type { ListNode } from '../../../shared/form/form.js';
import { wordButton } from '../../page/dom.js';

/** The lists that the user wants to see as a list of groups instead of a table. */
const asList = new WeakSet<ListNode>();

/** Whether the user switched this list from the table view to the list view. */
export function isShownAsList(node: ListNode): boolean {
  return asList.has(node);
}

/** A button that switches between the table and the list. */
export function viewButton(node: ListNode, redraw: () => void): HTMLElement {
  const isList = asList.has(node);
  const toggle = () => {
    if (isList) asList.delete(node);
    else asList.add(node);
    redraw();
  };
  return wordButton(isList ? t('Show as Table') : t('Show as List'), toggle, {
    iconName: isList ? 'table' : 'list-unordered',
  });
}
