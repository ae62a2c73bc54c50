/**
 * Remembers everything that ever ran below a process, so that all of it can be ended, and what outlived its parent can
 * be named. Three sources, because each misses some: the tree at this moment; looks at the tree while it lives, for
 * what has since lost its parent; and on Linux a mark in the environment, for what came and was orphaned between two
 * looks.
 */
import { killTree, processTree, processesWithEnv, stillRunning } from './processTree.mjs';

const lookEveryMs = process.platform === 'linux' ? 500 : 2_000; // elsewhere a look starts `ps`

/** Watches `pid`. `mark` is a `NAME=value` of its environment that no other process has. */
export function watchProcesses(pid, mark) {
  const seen = new Map();
  const remember = (processes) => {
    for (const one of processes) seen.set(`${one.pid} ${one.startedAt}`, one);
    return processes;
  };
  const look = () => remember(processTree(pid));
  look();
  const timer = setInterval(look, lookEveryMs);
  timer.unref();

  return {
    /** What runs below `pid` now, and itself. */
    look,
    /** What still runs, but no longer below `pid`. */
    orphans() {
      remember(processesWithEnv(mark));
      const inTree = new Set(look().map((one) => one.pid));
      return stillRunning([...seen.values()]).filter((one) => !inTree.has(one.pid));
    },
    /** Ends all of it at once, and the watching too. */
    killAll() {
      clearInterval(timer);
      remember(processesWithEnv(mark));
      killTree(pid, [...seen.values()]);
    },
  };
}
