import type { ProcessUsage } from '../transport/stdio/processUsage.js';
import { treeUsage } from '../transport/stdio/processUsage.js';

/** One process of a tree, for display. */
interface MeteredProcess {
  pid: number;
  name: string;
  /** Number of levels below the first process of the tree. */
  depth: number;
  /** Share of one processor since the previous sample, 1 for full use; undefined for the first sample. */
  cpu: number | undefined;
  memoryBytes: number;
}

/** A whole tree at one moment. */
export interface TreeUsage {
  processes: readonly MeteredProcess[];
  /** Sum over the tree; undefined in the first sample. */
  cpu: number | undefined;
  /** Sum over the tree; shared memory is counted for each process. */
  memoryBytes: number;
}

/** Samples one process tree on request and compares each sample with the previous one. Does nothing between samples. */
export class ProcessMeter {
  private before: { at: number; processes: readonly ProcessUsage[] } | undefined;
  private looking: Promise<TreeUsage> | undefined;

  constructor(
    readonly leader: number,
    private readonly look: typeof treeUsage = treeUsage,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Takes a sample. Never rejects; joins a sample that is in progress. */
  sample(): Promise<TreeUsage> {
    this.looking ??= this.lookOnce().finally(() => (this.looking = undefined));
    return this.looking;
  }

  private async lookOnce(): Promise<TreeUsage> {
    const processes = await this.look(this.leader, this.before?.processes ?? []);
    const at = this.now();
    const usage = compare(this.before?.processes, processes, at - (this.before?.at ?? at));
    this.before = { at, processes };
    return usage;
  }
}

/**
 * The usage of a tree between two samples.
 * @param before the previous sample; undefined if there is none.
 * @param elapsedMs time between the samples.
 */
export function compare(
  before: readonly ProcessUsage[] | undefined,
  after: readonly ProcessUsage[],
  elapsedMs: number,
): TreeUsage {
  const keyOf = ({ pid, startedAt }: ProcessUsage) => `${pid} ${startedAt}`;
  const earlier = new Map(before?.map((usage) => [keyOf(usage), usage.cpuMs]));
  const depths = new Map<number, number>();
  const processes = inTreeOrder(after).map((usage): MeteredProcess => {
    const { pid, parent, name, memoryBytes, cpuMs } = usage;
    const depth = (depths.get(parent) ?? -1) + 1;
    depths.set(pid, depth);
    // All CPU time of a new process falls between the previous sample and this one.
    const cpu = before && elapsedMs > 0 ? Math.max(0, cpuMs - (earlier.get(keyOf(usage)) ?? 0)) / elapsedMs : undefined;
    return { pid, name, depth, cpu, memoryBytes };
  });
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  return {
    processes,
    cpu: before && elapsedMs > 0 ? sum(processes.map(({ cpu = 0 }) => cpu)) : undefined,
    memoryBytes: sum(processes.map(({ memoryBytes }) => memoryBytes)),
  };
}

/**
 * Orders processes so that each one precedes its children, which precede its next sibling. A process whose parent is
 * not in the list is at the top level.
 */
function inTreeOrder(processes: readonly ProcessUsage[]): ProcessUsage[] {
  const pids = new Set(processes.map(({ pid }) => pid));
  const children = new Map<number | undefined, ProcessUsage[]>();
  for (const usage of processes) {
    const parent = pids.has(usage.parent) && usage.parent !== usage.pid ? usage.parent : undefined;
    const siblings = children.get(parent);
    if (siblings) siblings.push(usage);
    else children.set(parent, [usage]);
  }
  const ordered: ProcessUsage[] = [];
  const waiting = [...(children.get(undefined) ?? [])].reverse();
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    ordered.push(next);
    waiting.push(...[...(children.get(next.pid) ?? [])].reverse());
  }
  return ordered;
}
