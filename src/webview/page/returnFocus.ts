import { focusOn } from './dom.js';
import { isPointerDown } from './pointer.js';

/** Selects elements that Enter and Space press. They do not get the focus back, because a program can show the page. */
const buttons = 'button, vscode-button';

/**
 * When the page gets the focus back, for example after a dialog of VS Code, moves the focus to the element that had it
 * before. The browser does not do this, because it forgets the focused element of a frame that loses the focus. If the
 * user clicks in the page, the click determines what gets the focus.
 * @param first moves the focus to the first field, if the last element is a button or has disappeared.
 */
export function returnFocus(first: () => void): void {
  let last: HTMLElement | undefined;
  document.addEventListener('focusin', ({ target }) => {
    last = target instanceof HTMLElement && !target.matches(buttons) ? target : undefined;
  });
  window.addEventListener('focus', () => {
    if (isPointerDown() || (document.activeElement !== null && document.activeElement !== document.body)) return;
    if (last?.isConnected === true && last.getClientRects().length > 0) focusOn(last);
    else first();
  });
}
