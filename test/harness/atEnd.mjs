/**
 * Work that has to be done however this process ends: return, exception, `process.exit` or a signal.
 *
 * There is one way out: signals turn into `process.exit`, and Node's `exit` event runs what is left. Node allows
 * only synchronous work there, so tasks are synchronous; last registered, first run.
 */
const tasks = new Map();
let nextKey = 0;
let isWatching = false;

/** Registers `task`; the returned function takes it off the list again (the work was done in the orderly way). */
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
