/**
 * Remembers every process that ever ran below a process, so that all of them can be ended and leftovers reported. It
 * uses three sources, because each misses some processes: the current tree; regular snapshots of the tree, for
 * processes that have since lost their parent; and on Linux a mark in the environment, for processes that started and
 * were orphaned between two snapshots.
 */
import { killTree, processTree, processesWithEnv, stillRunning } from './processTree.mjs';

const lookEveryMs = process.platform === 'linux' ? 500 : 2_000; // other systems start `ps` for each snapshot

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
    /** `pid` and the processes that run below it now. */
    look,
    /** Processes that still run, but no longer below `pid`. */
    orphans() {
      remember(processesWithEnv(mark));
      const inTree = new Set(look().map((one) => one.pid));
      return stillRunning([...seen.values()]).filter((one) => !inTree.has(one.pid));
    },
    /** Kills all of these processes and stops watching. */
    killAll() {
      clearInterval(timer);
      remember(processesWithEnv(mark));
      killTree(pid, [...seen.values()]);
    },
  };
}
