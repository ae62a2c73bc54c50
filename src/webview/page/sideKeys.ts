/**
 * F6 moves the focus to `element` from anywhere else on the page, and Shift+F6 returns the focus to the element that
 * had it before. In all other cases, VS Code receives these keys and moves the focus between its parts. So for the
 * user, `element` is an additional part in VS Code's order.
 */
export function onSideKeys(element: () => HTMLElement | undefined): void {
  let before: HTMLElement | undefined;
  document.addEventListener(
    'keydown',
    (event) => {
      const { key, shiftKey, ctrlKey, metaKey, altKey } = event;
      if (key !== 'F6' || ctrlKey || metaKey || altKey) return;
      const side = element();
      const focused = document.activeElement;
      if (!side || side.contains(focused) !== shiftKey) return;
      if (shiftKey && before?.isConnected !== true) return;
      event.preventDefault();
      event.stopPropagation();
      if (shiftKey) {
        before?.focus();
        return;
      }
      before = focused instanceof HTMLElement && focused !== document.body ? focused : undefined;
      side.focus();
    },
    { capture: true },
  );
}
