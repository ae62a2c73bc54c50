/** Those that want to start a process, in order. */
const waiting: (() => void)[] = [];
let isTaken = false;

/**
 * To start a process takes milliseconds in which nothing else runs, so each turn of the event loop starts one at most.
 * @returns undefined where it may start at once, otherwise what resolves when it is its turn.
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
