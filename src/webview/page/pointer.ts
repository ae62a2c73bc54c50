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
      // The click event follows the pointerup event, so the actions wait until after it.
      setTimeout(() => due.forEach((action) => action()));
    },
    { capture: true },
  );
}

/** Whether a button of the pointer is pressed now. */
export function isPointerDown(): boolean {
  return isDown;
}

/**
 * Runs the action now or, if a pointer button is pressed, after its release. Otherwise, an element that moves under the
 * pressed pointer would get no click.
 */
export function whenPointerIsUp(action: () => void): void {
  if (isDown) waiting.push(action);
  else action();
}
