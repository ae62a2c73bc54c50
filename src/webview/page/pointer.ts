let isDown = false;
let waiting: (() => void)[] = [];

for (const type of ['pointerdown', 'pointermove', 'pointerup', 'pointercancel'] as const) {
  window.addEventListener(
    type,
    ({ buttons }) => {
      isDown = type !== 'pointercancel' && buttons !== 0;
      if (isDown || waiting.length === 0) return;
      const due = waiting;
      waiting = [];
      // The click event follows the pointerup event, so wait for it.
      setTimeout(() => due.forEach((action) => action()));
    },
    { capture: true },
  );
}

/**
 * Runs the action now, or after the pointer button was released, because an element that moves under a pressed pointer
 * gets no click.
 */
export function whenPointerIsUp(action: () => void): void {
  if (isDown) waiting.push(action);
  else action();
}
