/**
 * F6 moves the focus to `element` from anywhere else on the page, and Shift+F6 from there to the place before. In all
 * other cases, the keys reach VS Code, where they move between its parts. So the side is one more part in their order.
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
