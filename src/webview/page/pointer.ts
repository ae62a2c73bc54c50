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
      // The click comes after the pointer is up.
      setTimeout(() => due.forEach((action) => action()));
    },
    { capture: true },
  );
}

/** Now, or when no button of a pointer is held down: what moves under a pointer that is down loses its click. */
export function whenPointerIsUp(action: () => void): void {
  if (isDown) waiting.push(action);
  else action();
}
