/**
 * Calls `run` for Ctrl+Enter and Cmd+Enter, wherever the focus is. Listens before the controls do, because some of them
 * act on Enter.
 */
export function onRunKey(run: () => void): void {
  document.addEventListener(
    'keydown',
    (event) => {
      if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.altKey) return;
      event.preventDefault();
      event.stopPropagation();
      // A key that is held down sends repeated events, but each press must cause only one run.
      if (!event.repeat) run();
    },
    { capture: true },
  );
}

/** The tooltip of the button that this key presses. */
export function withRunKey(label: string): string {
  return `${label} (${navigator.platform.startsWith('Mac') ? '⌘⏎' : 'Ctrl+Enter'})`;
}
