/**
 * Process trees of this machine: who descends from whom, when each began, and how to end them all. A pid alone means
 * little, since systems use them again; pid and start time together name one process.
 */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

export interface ProcessInfo {
  pid: number;
  parent: number;
  /** Opaque; equal for the same process, different for a later one with the same pid. */
  startedAt: string;
}

/** How long the system's own listing may take, in milliseconds. */
const listTimeoutMs = 5_000;

/** All processes that can be seen; empty where the system does not tell. Never rejects. */
export async function listProcesses(platform: NodeJS.Platform = process.platform): Promise<ProcessInfo[]> {
  if (platform === 'linux') return listLinux();
  if (platform === 'win32') {
    const text = await run('powershell.exe', [
      '-NoProfile',
      '-NonInteractive',
      '-Command',
      'Get-CimInstance Win32_Process | ForEach-Object { "$($_.ProcessId) $($_.ParentProcessId) $($_.CreationDate.ToFileTimeUtc())" }',
    ]);
    return parseTable(text);
  }
  return parseTable(await run('ps', ['-axo', 'pid=,ppid=,lstart=']));
}

/** The descendants of `root`, parents before children, without `root` itself. */
export function descendantsOf(root: number, processes: readonly ProcessInfo[]): ProcessInfo[] {
  const byParent = new Map<number, ProcessInfo[]>();
  for (const info of processes) {
    const siblings = byParent.get(info.parent);
    if (siblings) siblings.push(info);
    else byParent.set(info.parent, [info]);
  }
  const found: ProcessInfo[] = [];
  const queue = [root];
  for (let pid = queue.shift(); pid !== undefined; pid = queue.shift()) {
    for (const child of byParent.get(pid) ?? []) {
      if (child.pid === root || found.includes(child)) continue;
      found.push(child);
      queue.push(child.pid);
    }
  }
  return found;
}

/** When a process began; undefined when there is none with this pid. */
export async function startTimeOf(pid: number, platform: NodeJS.Platform = process.platform): Promise<string | undefined> {
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

/** Sends a signal; a process that is gone already is no error. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // Gone, or not ours any more: either way there is nothing left to do here.
  }
}

/** Ends a tree at once, on Windows by its own tool, which knows children of children. */
export async function killTree(pid: number, platform: NodeJS.Platform = process.platform): Promise<void> {
  if (platform === 'win32') {
    await run('taskkill', ['/pid', String(pid), '/T', '/F']);
    return;
  }
  const descendants = descendantsOf(pid, await listProcesses(platform));
  signal(pid, 'SIGKILL');
  for (const { pid: child } of descendants) signal(child, 'SIGKILL');
}

function listLinux(): ProcessInfo[] {
  const found: ProcessInfo[] = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const info = readLinux(Number(name));
    if (info) found.push(info);
  }
  return found;
}

/** proc(5): the name stands in parentheses and may hold anything; field 4 is the parent, 22 the start in clock ticks. Zombies count as gone. */
function readLinux(pid: number): ProcessInfo | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
    return { pid, parent: Number(fields[1]), startedAt: fields[19] ?? '' };
  } catch {
    return undefined; // it ended while we looked
  }
}

/** `pid parent rest-is-start-time` lines. */
function parseTable(text: string): ProcessInfo[] {
  return text.split('\n').flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(\S.*?)\s*$/.exec(line);
    return match ? [{ pid: Number(match[1]), parent: Number(match[2]), startedAt: match[3] ?? '' }] : [];
  });
}

function run(command: string, args: string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(command, args, { timeout: listTimeoutMs, windowsHide: true, maxBuffer: 16 * 1024 * 1024 }, (_error, stdout) => resolve(stdout));
  });
}
