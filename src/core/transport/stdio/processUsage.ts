/**
 * The resources that the processes of a tree use: CPU time since the start of each process, and memory. Each system
 * reports them in its own format; the parsers are pure functions.
 */
import { readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { isObject } from '../../base/guards.js';
import type { ProcessInfo } from './processTree.js';
import { inSlices, listProcesses, programOutput, treeOf } from './processTree.js';
import { systemProgram } from './windowsCommand.js';

/** One process and its resources. */
export interface ProcessUsage extends ProcessInfo {
  /** The name of the program without its arguments, which may contain secrets. */
  name: string;
  /** CPU time since the start of the process, in ms. It is the sum over all processors. */
  cpuMs: number;
  /** Memory in use, bytes. Memory that processes share is counted for each of them. */
  memoryBytes: number;
}

/** Timeout of the system's process list, ms. */
const listTimeoutMs = 10_000;

/**
 * The tree of `leader`, parents before children; empty if it has ended or the system does not report it. Never rejects,
 * and never blocks the thread for long.
 * @param known the result of an earlier call; finds processes that lost their parent and left the group.
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
      ? await programOutput(systemProgram('WindowsPowerShell\\v1.0\\powershell.exe'), windowsArguments, listTimeoutMs)
      : await programOutput('/bin/ps', psArguments, listTimeoutMs);
  return treeOf(leader, false, known, platform === 'win32' ? parseWindowsUsage(text) : parsePsUsage(text));
}

/** Milliseconds per clock tick: the kernel reports times in hundredths of a second on every architecture. */
const linuxTickMs = 10;

function readLinuxUsage(info: ProcessInfo): ProcessUsage | undefined {
  try {
    const usage = parseLinuxUsage(
      info,
      readFileSync(`/proc/${info.pid}/stat`, 'latin1'),
      readFileSync(`/proc/${info.pid}/status`, 'latin1'),
    );
    // Linux reports the name of the first thread, which Node.js calls "MainThread".
    return usage?.name.endsWith('MainThread') === true
      ? { ...usage, name: path.basename(readlinkSync(`/proc/${info.pid}/exe`)) }
      : usage;
  } catch {
    return undefined; // The process ended in the meantime.
  }
}

/**
 * The usage of a process on Linux; see proc(5).
 * @param stat content of `/proc/<pid>/stat`: the name is in parentheses and may contain any character; fields 14 and 15
 * are the times in ticks.
 * @param status content of `/proc/<pid>/status`, which reports the memory in kB, independent of the page size.
 * @returns undefined if the pid now belongs to another process, or only a zombie remains.
 */
export function parseLinuxUsage(info: ProcessInfo, stat: string, status: string): ProcessUsage | undefined {
  const open = stat.indexOf('(');
  const close = stat.lastIndexOf(')');
  const fields = stat.slice(close + 2).split(' ');
  const cpuMs = (Number(fields[11]) + Number(fields[12])) * linuxTickMs;
  if (open === -1 || close === -1 || fields[0] === 'Z' || fields[19] !== info.startedAt || !Number.isFinite(cpuMs))
    return undefined;
  const kilobytes = /^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1];
  // The file was decoded as Latin-1, but the name is UTF-8.
  const name = Buffer.from(stat.slice(open + 1, close), 'latin1').toString('utf8');
  return { ...info, name, cpuMs, memoryBytes: Number(kilobytes ?? 0) * 1_024 };
}

const psArguments = ['-axo', 'pid=,ppid=,pgid=,stat=,rss=,time=,lstart=,comm='];

/**
 * Parses lines of `ps` on macOS: pid, parent, group, state, memory in kB, CPU time as `minutes:seconds.hundredths`,
 * start time in five words, path of the program.
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

/**
 * Converts `[[days-]hours:]minutes:seconds[.hundredths]` to milliseconds. In some languages, the text has a decimal
 * comma.
 */
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
  // Converted to numbers and text, because the JSON of a date differs between versions of PowerShell.
  [
    'Get-CimInstance Win32_Process',
    '-Property ProcessId,ParentProcessId,Name,WorkingSetSize,KernelModeTime,UserModeTime,CreationDate',
    '| ForEach-Object { [pscustomobject]@{ pid = $_.ProcessId; parent = $_.ParentProcessId; name = $_.Name;',
    'memory = $_.WorkingSetSize; time = $_.KernelModeTime + $_.UserModeTime;',
    "start = if ($_.CreationDate) { [string]$_.CreationDate.ToFileTimeUtc() } else { '' } } }",
    '| ConvertTo-Json -Compress',
  ].join(' '),
];

/** Parses JSON with a list of objects, or with a single one; times in units of 100 ns, memory in bytes. */
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
    // Only processes of the system itself have no start time, and they are never part of a server.
    return start === ''
      ? []
      : [{ pid, parent, group: 0, startedAt: start, name, cpuMs: time / 10_000, memoryBytes: memory }];
  });
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
