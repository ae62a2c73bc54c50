/**
 * What the processes of a tree use: time on processors since each began, and memory in use. Each system tells it in its
 * own way; the readers of their texts are pure.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { isObject } from '../../base/guards.js';
import type { ProcessInfo } from './processTree.js';
import { inSlices, listProcesses, treeOf } from './processTree.js';
import { systemProgram } from './windowsCommand.js';

/** One process and what it uses. */
export interface ProcessUsage extends ProcessInfo {
  /** The program's own name, without its arguments: those may hold secrets. */
  name: string;
  /** Time on processors since it began, milliseconds; two processors at once count twice. */
  cpuMs: number;
  /** Memory that it has in use now, bytes. What processes share counts for each. */
  memoryBytes: number;
}

/** How long the system's own listing may take, in milliseconds. */
const listTimeoutMs = 10_000;

/**
 * The tree that `leader` began, parents before children; empty when nothing is left of it or the system does not tell.
 * Never rejects, and never holds the thread for long.
 * @param known what an earlier look found, so that who lost the parent and left the group is found again.
 */
export async function treeUsage(
  leader: number,
  known: readonly ProcessInfo[],
  platform: NodeJS.Platform = process.platform,
): Promise<ProcessUsage[]> {
  if (platform === 'linux') {
    return inSlices(treeOf(leader, false, known, await listProcesses(platform)), readLinuxUsage);
  }
  const text =
    platform === 'win32'
      ? await run(systemProgram('WindowsPowerShell\\v1.0\\powershell.exe'), windowsArguments)
      : await run('/bin/ps', psArguments);
  return treeOf(leader, false, known, platform === 'win32' ? parseWindowsUsage(text) : parsePsUsage(text));
}

/** The kernel counts in hundredths of a second towards programs, on every architecture. */
const linuxTickMs = 10;

function readLinuxUsage(info: ProcessInfo): ProcessUsage | undefined {
  try {
    return parseLinuxUsage(
      info,
      readFileSync(`/proc/${info.pid}/stat`, 'latin1'),
      readFileSync(`/proc/${info.pid}/status`, 'latin1'),
    );
  } catch {
    return undefined; // it ended while we looked
  }
}

/**
 * proc(5).
 * @param stat of `/proc/<pid>/stat`: the name in parentheses, which may hold anything; times in ticks are fields 14 and 15.
 * @param status of `/proc/<pid>/status`, which has the memory in kB, whatever the size of a page is.
 * Undefined when the process has become another one meanwhile, or only its zombie is left.
 */
export function parseLinuxUsage(info: ProcessInfo, stat: string, status: string): ProcessUsage | undefined {
  const open = stat.indexOf('(');
  const close = stat.lastIndexOf(')');
  const fields = stat.slice(close + 2).split(' ');
  const cpuMs = (Number(fields[11]) + Number(fields[12])) * linuxTickMs;
  if (open === -1 || close === -1 || fields[0] === 'Z' || fields[19] !== info.startedAt || !Number.isFinite(cpuMs))
    return undefined;
  const kilobytes = /^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1];
  // The text comes byte by byte; names are UTF-8.
  const name = Buffer.from(stat.slice(open + 1, close), 'latin1').toString('utf8');
  return { ...info, name, cpuMs, memoryBytes: Number(kilobytes ?? 0) * 1_024 };
}

const psArguments = ['-axo', 'pid=,ppid=,pgid=,stat=,rss=,time=,lstart=,comm='];

/**
 * Lines of `ps` on macOS: pid, parent, group, state, kB, `minutes:seconds.hundredths`, five words of start time, path
 * of the program.
 */
export function parsePsUsage(text: string): ProcessUsage[] {
  return text.split('\n').flatMap((line) => {
    const match =
      /^\s*(\d+)\s+(\d+)\s+(\d+)\s+([^\sZ]\S*)\s+(\d+)\s+([\d:.,-]+)\s+((?:\S+\s+){4}\S+)\s+(\S.*?)\s*$/.exec(line);
    const cpuMs = processorTime(match?.[6] ?? '');
    if (!match || cpuMs === undefined) return [];
    const [, pid, parent, group, , kilobytes, , startedAt = '', program = ''] = match;
    return [
      {
        pid: Number(pid),
        parent: Number(parent),
        group: Number(group),
        startedAt,
        name: program.slice(program.lastIndexOf('/') + 1),
        cpuMs,
        memoryBytes: Number(kilobytes) * 1_024,
      },
    ];
  });
}

/** `[[days-]hours:]minutes:seconds[.hundredths]`, with a comma in some languages; milliseconds. */
function processorTime(text: string): number | undefined {
  const match = /^(?:(?:(\d+)-)?(\d+):)?(\d+):(\d+(?:[.,]\d+)?)$/.exec(text);
  if (!match) return undefined;
  const [, days = '0', hours = '0', minutes = '0', seconds = '0'] = match;
  return Math.round(
    (((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds.replace(',', '.'))) * 1_000,
  );
}

const windowsArguments = [
  '-NoProfile',
  '-NonInteractive',
  '-Command',
  // As numbers and texts: JSON of a date differs between versions of PowerShell.
  "Get-CimInstance Win32_Process -Property ProcessId,ParentProcessId,Name,WorkingSetSize,KernelModeTime,UserModeTime,CreationDate | ForEach-Object { [pscustomobject]@{ pid = $_.ProcessId; parent = $_.ParentProcessId; name = $_.Name; memory = $_.WorkingSetSize; time = $_.KernelModeTime + $_.UserModeTime; start = if ($_.CreationDate) { [string]$_.CreationDate.ToFileTimeUtc() } else { '' } } } | ConvertTo-Json -Compress",
];

/** A list of objects, or one alone; times in units of 100 ns, memory in bytes. */
export function parseWindowsUsage(text: string): ProcessUsage[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return [];
  }
  return (Array.isArray(parsed) ? (parsed as unknown[]) : [parsed]).flatMap((row) => {
    if (!isObject(row)) return [];
    const { pid, parent, name, memory, time, start } = row;
    if (
      !isCount(pid) ||
      !isCount(parent) ||
      !isCount(memory) ||
      !isCount(time) ||
      typeof name !== 'string' ||
      typeof start !== 'string'
    )
      return [];
    // Without a start there are only the system's own, which start nothing of ours.
    return start === ''
      ? []
      : [{ pid, parent, group: 0, startedAt: start, name, cpuMs: time / 10_000, memoryBytes: memory }];
  });
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
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
