/** Processes below the extension host, read from the operating system. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

export interface ServerProcess {
  pid: number;
  /** Pid and start time together identify a process, because the system reuses pids. */
  startedAt: string;
  args: string;
}

/** Every process below this extension host that is a server of a test: our fixtures and the reference servers. */
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

/** The one process whose command line ends with `name`, which the test's configuration passes as the last argument. */
export async function processOf(name: string): Promise<ServerProcess> {
  const found = (await serverProcessTable()).filter(({ args }) => args.endsWith(` ${name}`));
  if (found.length !== 1 || !found[0]) throw new Error(`Expected one process "${name}", found ${found.length}.`);
  return found[0];
}

function isServer(args: string): boolean {
  return /fixtures\/servers\/|@modelcontextprotocol\/server-|setInterval\(\(\) => \{\}, 1000\)/.test(args);
}
