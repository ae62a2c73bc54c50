/** Processes below the extension host, as the operating system sees them. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

export interface ServerProcess {
  pid: number;
  /** Pid and start time together name a process; a pid alone is used again. */
  startedAt: string;
  args: string;
}

/** Every process that descends from this extension host and is a server of a test: our fixtures and the reference servers. */
export async function serverProcessTable(): Promise<ServerProcess[]> {
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'pid=,ppid=,lstart=,args=']);
  const all = stdout
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(\S+\s+\S+\s+\d+\s+\S+\s+\d+)\s+(.*)$/.exec(line))
    .filter((match) => match !== null)
    .map((match) => ({
      pid: Number(match[1]),
      ppid: Number(match[2]),
      startedAt: match[3] ?? '',
      args: match[4] ?? '',
    }));
  const below = new Set([process.pid]);
  for (let size = 0; size !== below.size;) {
    size = below.size;
    for (const { pid, ppid } of all) if (below.has(ppid)) below.add(pid);
  }
  return all
    .filter(({ pid, args }) => pid !== process.pid && below.has(pid) && isServer(args))
    .map(({ pid, startedAt, args }) => ({ pid, startedAt, args }));
}

/** Their command lines. */
export async function serverProcesses(): Promise<string[]> {
  return (await serverProcessTable()).map(({ args }) => args);
}

/** The one process whose command line ends with `name`, which a test's configuration gives as the last argument. */
export async function processOf(name: string): Promise<ServerProcess> {
  const found = (await serverProcessTable()).filter(({ args }) => args.endsWith(` ${name}`));
  if (found.length !== 1 || !found[0]) throw new Error(`There is not one process "${name}", but ${found.length}.`);
  return found[0];
}

function isServer(args: string): boolean {
  return /fixtures\/servers\/|@modelcontextprotocol\/server-|setInterval\(\(\) => \{\}, 1000\)/.test(args);
}
