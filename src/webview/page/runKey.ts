/** The event that the focused element receives in place of the key. */
export const runKeyEvent = 'runkey';

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
      // The focus stays in its field, so a list that is open there must close itself.
      event.target?.dispatchEvent(new Event(runKeyEvent));
      // A key that is held down sends repeated events, but each press must cause only one run.
      if (!event.repeat) run();
    },
    { capture: true },
  );
}

/**
 * Calls `tell` when the user presses Enter in a single-line field, where Enter has no effect. As in VS Code's settings
 * editor and its commit box, Enter does not run anything, because the form may be incomplete and a call cannot be
 * undone.
 */
export function onIdleEnter(tell: () => void): void {
  document.addEventListener('keydown', (event) => {
    const { key, target, defaultPrevented, shiftKey, altKey, isComposing } = event;
    if (key !== 'Enter' || shiftKey || altKey || isComposing || defaultPrevented) return;
    if (target instanceof HTMLInputElement && /^(?:text|password|date)$/.test(target.type) && isInForm(target)) tell();
  });
}

function isInForm(element: HTMLElement): boolean {
  return element.closest('.arguments-side') !== null;
}

/** The name of the key that runs or submits. */
export function runKeyName(): string {
  return navigator.platform.startsWith('Mac') ? '⌘⏎' : 'Ctrl+Enter';
}

/** The tooltip of the button that this key presses. */
export function withRunKey(label: string): string {
  return `${label} (${runKeyName()})`;
}
