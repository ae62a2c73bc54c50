/**
 * Runs tasks when this process ends, whether by return, exception, `process.exit` or a signal.
 *
 * Signals are turned into `process.exit`, and Node's `exit` event runs the remaining tasks. Node allows only
 * synchronous work there, so tasks are synchronous. The task registered last runs first.
 */
const tasks = new Map();
let nextKey = 0;
let isWatching = false;

/** Registers `task`. The returned function unregisters it, for work that was already done in the orderly way. */
export function atEnd(task) {
  watch();
  const key = nextKey++;
  tasks.set(key, task);
  return () => tasks.delete(key);
}

function watch() {
  if (isWatching) return;
  isWatching = true;
  process.on('exit', () => {
    for (const [key, task] of [...tasks].reverse()) {
      tasks.delete(key);
      try {
        task();
      } catch (error) {
        console.error(`cleaning up: ${error?.message ?? error}`); // the other tasks still have to run
      }
    }
  });
  for (const [signal, code] of [
    ['SIGHUP', 129],
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ])
    process.on(signal, () => process.exit(code));
}
