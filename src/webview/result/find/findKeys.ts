/**
 * Calls `open` for Ctrl+F and Cmd+F, and `move` for F3 and Ctrl+G or Cmd+G with and without Shift. Both functions
 * return whether they handled the key. If they did not, the key keeps its default action.
 */
export function onFindKeys({ open, move }: { open: () => boolean; move: (step: 1 | -1) => boolean }): void {
  document.addEventListener('keydown', (event) => {
    const { key, shiftKey, altKey } = event;
    const isCommand = (event.ctrlKey || event.metaKey) && !altKey;
    const isMove = key === 'F3' || (isCommand && key.toLowerCase() === 'g');
    const isUsed = isMove ? move(shiftKey ? -1 : 1) : isCommand && !shiftKey && key.toLowerCase() === 'f' && open();
    if (isUsed) event.preventDefault();
  });
}
