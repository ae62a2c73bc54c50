/** Processes below the extension host, as the operating system sees them. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Command lines of every process that descends from this extension host and is a server of a test: our fixtures and the reference servers. */
export async function serverProcesses(): Promise<string[]> {
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'pid=,ppid=,args=']);
  const all = stdout
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line))
    .filter((match) => match !== null)
    .map((match) => ({ pid: Number(match[1]), ppid: Number(match[2]), args: match[3] ?? '' }));
  const below = new Set([process.pid]);
  for (let size = 0; size !== below.size; ) {
    size = below.size;
    for (const { pid, ppid } of all) if (below.has(ppid)) below.add(pid);
  }
  return all.filter(({ pid, args }) => pid !== process.pid && below.has(pid) && isServer(args)).map(({ args }) => args);
}

function isServer(args: string): boolean {
  return /fixtures\/servers\/|@modelcontextprotocol\/server-|setInterval\(\(\) => \{\}, 1000\)/.test(args);
}
