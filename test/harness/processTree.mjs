/**
 * Finds and ends a process and all processes that it started.
 *
 * A process group is not enough, because an extension may start servers in their own groups. The tree is read from the
 * process table, and remembered before its root ends, because orphans lose their parent. A remembered process is
 * identified by its id and its start time, because the system reuses ids.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';

/**
 * `pid` and all processes below it, as `{ pid, ppid, startedAt, command }`, the root first. Reads the current process
 * table unless a list is given.
 */
export function processTree(pid, all = processTable()) {
  const top = all.find((one) => one.pid === pid);
  if (!top) return [];
  const found = [top];
  for (let i = 0; i < found.length; i++) found.push(...all.filter((one) => one.ppid === found[i].pid));
  return found;
}

/** The remembered processes that still run. */
export function stillRunning(remembered) {
  const now = new Map(processTable().map((one) => [one.pid, one.startedAt]));
  return remembered.filter((one) => now.get(one.pid) === one.startedAt);
}

/** Processes with this `NAME=value` in their environment. Linux only; an empty list on other systems. */
export function processesWithEnv(mark) {
  if (process.platform !== 'linux') return [];
  return processTable().filter((one) => {
    try {
      return readFileSync(`/proc/${one.pid}/environ`, 'utf8').split('\0').includes(mark);
    } catch {
      return false; // it ended, or we may not read it
    }
  });
}

/** Kills `pid`, all processes below it, and the processes `remembered` earlier. */
export function killTree(pid, remembered = []) {
  if (process.platform === 'win32') {
    if (pid) spawnSync('taskkill', ['/pid', String(pid), '/t', '/f'], { stdio: 'ignore' });
    return;
  }
  // Twice, because a process may start another one between reading and killing.
  for (let round = 0; round < 2; round++) {
    for (const one of [...(pid ? processTree(pid) : []), ...stillRunning(remembered)]) {
      try {
        process.kill(one.pid, 'SIGKILL');
      } catch {
        // it ended already
      }
    }
  }
}

function processTable() {
  if (process.platform === 'linux') return linuxProcessTable();
  if (process.platform === 'win32') return []; // taskkill kills the tree itself
  const listing = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,stat=,lstart=,command='], { encoding: 'utf8' }).stdout ?? '';
  return [...listing.matchAll(/^\s*(\d+)\s+(\d+)\s+(\S+)\s+(\S+\s+\S+\s+\S+\s+\S+\s+\S+)\s+(.*)$/gm)]
    .filter(([, , , stat]) => !stat.startsWith('Z'))
    .map(([, pid, ppid, , startedAt, command]) => ({ pid: Number(pid), ppid: Number(ppid), startedAt, command }));
}

/** Read from /proc, because slim container images have no `ps`. */
function linuxProcessTable() {
  const found = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      // The second field is the name in parentheses and may contain anything; the other fields have fixed positions
      // (proc(5)).
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (fields[0] === 'Z') continue;
      const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0').join(' ').trim();
      found.push({ pid: Number(name), ppid: Number(fields[1]), startedAt: fields[19], command });
    } catch {
      // it ended during the read
    }
  }
  return found;
}
