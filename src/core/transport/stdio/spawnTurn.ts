/** Waiting starts, in order. */
const waiting: (() => void)[] = [];
let isTaken = false;

/**
 * Determines when a process may start. Starting one blocks the thread for milliseconds, so each turn of the event loop
 * starts at most one.
 * @returns undefined if the process may start at once, otherwise a promise that resolves when it may start.
 */
export function spawnTurn(): Promise<void> | undefined {
  if (isTaken) return new Promise((resolve) => waiting.push(resolve));
  isTaken = true;
  setImmediate(passOn);
  return undefined;
}

function passOn(): void {
  const next = waiting.shift();
  isTaken = next !== undefined;
  if (!next) return;
  setImmediate(passOn);
  next();
}
