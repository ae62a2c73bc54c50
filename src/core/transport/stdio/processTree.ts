/**
 * Process trees of this machine: parents and children, start times, and how to end a tree. Systems reuse pids, so a
 * process is identified by its pid and start time together.
 */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { systemProgram } from './windowsCommand.js';

export interface ProcessInfo {
  pid: number;
  parent: number;
  /** Process group; 0 on Windows, which has none. */
  group: number;
  /** Start time in a format of the operating system. It distinguishes a process from a later one with the same pid. */
  startedAt: string;
}

/** Timeout of the system's process list, ms. */
const listTimeoutMs = 5_000;

/** Maximum time to block the thread while listing, ms. */
const sliceMs = 4;

/** All visible running processes, without zombies. Empty if the system provides no list. Never rejects. */
export async function listProcesses(platform: NodeJS.Platform = process.platform): Promise<ProcessInfo[]> {
  if (platform === 'linux') return listLinux();
  if (platform === 'win32') {
    const text = await programOutput(systemProgram('WindowsPowerShell\\v1.0\\powershell.exe'), [
      '-NoProfile',
      '-NonInteractive',
      '-Command',
      'Get-CimInstance Win32_Process | ForEach-Object { "$($_.ProcessId) $($_.ParentProcessId) 0 R $($_.CreationDate.ToFileTimeUtc())" }',
    ]);
    return parseTable(text);
  }
  return parseTable(await programOutput('/bin/ps', ['-axo', 'pid=,ppid=,pgid=,stat=,lstart=']));
}

/**
 * All processes of the tree of `leader`: itself, its process group, the remaining processes of `known`, and the
 * descendants of all these. Parents come before children.
 * @param hasExited whether the leader has exited. Its pid and group number may then belong to another process.
 * @param known the result of an earlier call; finds processes that lost their parent and left the group.
 */
export function treeOf<T extends ProcessInfo>(
  leader: number,
  hasExited: boolean,
  known: readonly ProcessInfo[],
  processes: readonly T[],
): T[] {
  const atLeader = processes.find(({ pid }) => pid === leader);
  const isReused = hasExited && atLeader !== undefined;
  const isPart = (info: ProcessInfo) =>
    (info === atLeader && !hasExited) ||
    (info.group === leader && !isReused) ||
    known.some(({ pid, startedAt }) => pid === info.pid && startedAt === info.startedAt);
  const found = new Set(processes.filter(isPart));
  const byParent = new Map<number, T[]>();
  for (const info of processes) {
    const siblings = byParent.get(info.parent);
    if (siblings) siblings.push(info);
    else byParent.set(info.parent, [info]);
  }
  // Iteration over a set includes elements that are added during the loop.
  for (const { pid } of found) for (const child of byParent.get(pid) ?? []) found.add(child);
  return [...found];
}

/** The start time of a process; undefined if there is none with this pid, or only its zombie. */
export async function startTimeOf(
  pid: number,
  platform: NodeJS.Platform = process.platform,
): Promise<string | undefined> {
  if (platform === 'linux') return readLinux(pid)?.startedAt;
  return (await listProcesses(platform)).find((info) => info.pid === pid)?.startedAt;
}

/** Whether a process with this pid exists, including a process that this user may not signal. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Whether a process of the group is running. A signal also reaches zombies, which never disappear in a container whose
 * first process does not wait for its children. So the process list is checked as well.
 */
export async function isGroupAlive(group: number, platform: NodeJS.Platform = process.platform): Promise<boolean> {
  return isAlive(-group) && (await listProcesses(platform)).some((info) => info.group === group);
}

/**
 * Sends a signal once to each process of a tree. The processes in the leader's group receive it through the group, so
 * that processes that were started since the tree was read receive it, too.
 */
export function signalTree(leader: number, tree: readonly ProcessInfo[], name: NodeJS.Signals): void {
  if (tree.some(({ group }) => group === leader)) signal(-leader, name);
  for (const { pid, group } of tree) if (group !== leader) signal(pid, name);
}

/**
 * Ends a tree at once. On Windows it uses taskkill, which finds the descendants of a process only while that process is
 * running.
 */
export async function killTree(
  leader: number,
  tree: readonly ProcessInfo[],
  platform: NodeJS.Platform = process.platform,
): Promise<void> {
  if (platform !== 'win32') {
    signalTree(leader, tree, 'SIGKILL');
    return;
  }
  if (tree.length > 0)
    await programOutput(systemProgram('taskkill.exe'), [
      '/T',
      '/F',
      ...tree.flatMap(({ pid }) => ['/PID', String(pid)]),
    ]);
}

/** Sends a signal. A process that has already ended is not an error. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process has ended or belongs to another user: nothing to do.
  }
}

function listLinux(): Promise<ProcessInfo[]> {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return inSlices(pids, (pid) => readLinux(Number(pid)));
}

/**
 * The results of `read` for each item. A machine may have thousands of processes, and the results are not urgent. So
 * the thread is released every few milliseconds.
 */
export async function inSlices<T, R>(items: readonly T[], read: (item: T) => R | undefined): Promise<R[]> {
  const found: R[] = [];
  let sliceEnd = performance.now() + sliceMs;
  for (const item of items) {
    const one = read(item);
    if (one !== undefined) found.push(one);
    if (performance.now() < sliceEnd) continue;
    await nextTurn();
    sliceEnd = performance.now() + sliceMs;
  }
  return found;
}

/**
 * Reads a process from `/proc/<pid>/stat` (proc(5)): the name is in parentheses and may contain any character; after
 * the name come the state, the parent and the group, and field 22 is the start time in clock ticks.
 */
function readLinux(pid: number): ProcessInfo | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
    return { pid, parent: Number(fields[1]), group: Number(fields[2]), startedAt: fields[19] ?? '' };
  } catch {
    return undefined; // The process ended in the meantime.
  }
}

/** Parses lines of the form `pid parent group state start-time`, where the start time is the rest of the line. */
function parseTable(text: string): ProcessInfo[] {
  return text.split('\n').flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+([^\sZ]\S*)\s+(\S.*?)\s*$/.exec(line);
    return match
      ? [{ pid: Number(match[1]), parent: Number(match[2]), group: Number(match[3]), startedAt: match[5] ?? '' }]
      : [];
  });
}

/** The output of a system program; if it fails or exceeds the timeout, what it wrote until then. */
export function programOutput(command: string, args: string[], timeoutMs = listTimeoutMs): Promise<string> {
  return new Promise((resolve) => {
    execFile(command, args, { timeout: timeoutMs, windowsHide: true, maxBuffer: 16 * 1024 * 1024 }, (_error, stdout) =>
      resolve(stdout),
    );
  });
}
