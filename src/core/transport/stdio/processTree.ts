/**
 * Process trees of this machine: who descends from whom, when each began, and how to end them all. A pid alone means
 * little, since systems use them again; pid and start time together name one process.
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
  /** Opaque; equal for the same process, different for a later one with the same pid. */
  startedAt: string;
}

/** How long the system's own listing may take, in milliseconds. */
const listTimeoutMs = 5_000;

/** How long listing may hold the thread at a time, in milliseconds. */
const sliceMs = 4;

/**
 * All processes that can be seen and still run, zombies not among them; empty where the system does not tell. Never
 * rejects.
 */
export async function listProcesses(platform: NodeJS.Platform = process.platform): Promise<ProcessInfo[]> {
  if (platform === 'linux') return listLinux();
  if (platform === 'win32') {
    const text = await run(systemProgram('WindowsPowerShell\\v1.0\\powershell.exe'), [
      '-NoProfile',
      '-NonInteractive',
      '-Command',
      'Get-CimInstance Win32_Process | ForEach-Object { "$($_.ProcessId) $($_.ParentProcessId) 0 R $($_.CreationDate.ToFileTimeUtc())" }',
    ]);
    return parseTable(text);
  }
  return parseTable(await run('/bin/ps', ['-axo', 'pid=,ppid=,pgid=,stat=,lstart=']));
}

/**
 * All of the tree that `leader` began: itself, its process group, what is still there of `known`, and the descendants of
 * them all. Parents come before children.
 * @param hasExited that of the leader. From then on its pid may belong to a stranger, and so may a group of that number.
 * @param known what an earlier look found; who lost the parent and left the group is found this way only.
 */
export function treeOf<T extends ProcessInfo>(
  leader: number,
  hasExited: boolean,
  known: readonly ProcessInfo[],
  processes: readonly T[],
): T[] {
  const atLeader = processes.find(({ pid }) => pid === leader);
  const isStranger = hasExited && atLeader !== undefined;
  const isOurs = (info: ProcessInfo) =>
    (info === atLeader && !hasExited) ||
    (info.group === leader && !isStranger) ||
    known.some(({ pid, startedAt }) => pid === info.pid && startedAt === info.startedAt);
  const found = new Set(processes.filter(isOurs));
  const byParent = new Map<number, T[]>();
  for (const info of processes) {
    const siblings = byParent.get(info.parent);
    if (siblings) siblings.push(info);
    else byParent.set(info.parent, [info]);
  }
  // A set is walked in the order of insertion, also over what is added meanwhile.
  for (const { pid } of found) for (const child of byParent.get(pid) ?? []) found.add(child);
  return [...found];
}

/** When a process began; undefined when there is none with this pid, or only its zombie. */
export async function startTimeOf(
  pid: number,
  platform: NodeJS.Platform = process.platform,
): Promise<string | undefined> {
  if (platform === 'linux') return readLinux(pid)?.startedAt;
  return (await listProcesses(platform)).find((info) => info.pid === pid)?.startedAt;
}

/** True while a process with this pid exists, also one that we may not signal. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * True while a process of the group runs. The system counts zombies too, and in a container whose first process waits for
 * nobody they stay for ever; so what it says is looked up.
 */
export async function isGroupAlive(group: number, platform: NodeJS.Platform = process.platform): Promise<boolean> {
  return isAlive(-group) && (await listProcesses(platform)).some((info) => info.group === group);
}

/**
 * Signals every process of a tree once: those in the leader's group through the group, which reaches what they start
 * meanwhile.
 */
export function signalTree(leader: number, tree: readonly ProcessInfo[], name: NodeJS.Signals): void {
  if (tree.some(({ group }) => group === leader)) signal(-leader, name);
  for (const { pid, group } of tree) if (group !== leader) signal(pid, name);
}

/**
 * Ends a tree at once. On Windows by its own tool, which finds what descends from a process as long as that one
 * lives.
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
    await run(systemProgram('taskkill.exe'), ['/T', '/F', ...tree.flatMap(({ pid }) => ['/PID', String(pid)])]);
}

/** A process that is gone already is no error. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // Gone, or not ours any more: either way there is nothing left to do here.
  }
}

function listLinux(): Promise<ProcessInfo[]> {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return inSlices(pids, (pid) => readLinux(Number(pid)));
}

/**
 * What `read` finds of each item. A machine may have thousands of processes, and nobody waits for them: every few
 * milliseconds others have their turn.
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
 * proc(5): the name stands in parentheses and may hold anything; behind it state, parent and group, and as field 22
 * the start in clock ticks.
 */
function readLinux(pid: number): ProcessInfo | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
    return { pid, parent: Number(fields[1]), group: Number(fields[2]), startedAt: fields[19] ?? '' };
  } catch {
    return undefined; // it ended while we looked
  }
}

/** `pid parent group state rest-is-start-time` lines. */
function parseTable(text: string): ProcessInfo[] {
  return text.split('\n').flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+([^\sZ]\S*)\s+(\S.*?)\s*$/.exec(line);
    return match
      ? [{ pid: Number(match[1]), parent: Number(match[2]), group: Number(match[3]), startedAt: match[5] ?? '' }]
      : [];
  });
}

function run(command: string, args: string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(
      command,
      args,
      { timeout: listTimeoutMs, windowsHide: true, maxBuffer: 16 * 1024 * 1024 },
      (_error, stdout) => resolve(stdout),
    );
  });
}
