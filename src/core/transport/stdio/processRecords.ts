/**
 * Notes of which processes this window started, so that what survives a killed extension host can be ended by the next
 * one. One small file per owner, written at once and whole. A process is ended only when pid and start time both match the
 * note, when it descends from such a process, or when it is in the group of the child while a process that was noted is still
 * in it: a system gives a group's number away only when the group is empty. So a process of another program is never touched.
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { uptime } from 'node:os';
import path from 'node:path';
import { isObject } from '../../base/guards.js';
import type { ProcessInfo } from './processTree.js';
import { isAlive, killTree, listProcesses, startTimeOf, treeOf } from './processTree.js';

/** One of them is enough to know the group again; a server may start thousands. */
const maxMembers = 64;

interface RecordFile {
  owner: { pid: number; startedAt: string | undefined };
  children: ChildRecord[];
}

export interface ChildRecord {
  pid: number;
  startedAt: string | undefined;
  /** Which server it is, for the log. */
  server: string;
  /** What it had started when it was last looked at; pid and start time of each. Default none. */
  members?: readonly Member[];
}

/** One process: its pid alone may belong to another one later. */
type Member = Pick<ProcessInfo, 'pid' | 'startedAt'>;

export class ProcessRecords {
  private readonly children = new Map<number, ChildRecord>();
  private readonly file: string;
  private ownStart: string | undefined;

  /** @param folder where the files live; created when first needed. */
  constructor(private readonly folder: string) {
    // Not by the pid alone: a window that was given the pid of a dead one must not write over its notes before they
    // are used.
    this.file = path.join(folder, `${process.pid}-${randomUUID()}.json`);
  }

  /** Notes a process right after it was spawned; its start time is added as soon as the system tells it. */
  add(pid: number, server: string): void {
    const record: ChildRecord = { pid, startedAt: undefined, server };
    this.children.set(pid, record);
    this.write();
    void this.complete(record);
  }

  /**
   * Notes what the process has started by now: when a wrapper such as `npx` ends with its window, these show that its group is
   * still the same one. Does nothing on Windows, which has no groups, and for a process that is not noted. Never rejects.
   */
  async look(pid: number): Promise<void> {
    if (process.platform === 'win32' || !this.children.has(pid)) return;
    const tree = treeOf(pid, false, [], await listProcesses());
    const record = this.children.get(pid);
    // Without the process itself its pid may belong to another program by now.
    if (!record || tree[0]?.pid !== pid || (record.startedAt !== undefined && tree[0].startedAt !== record.startedAt))
      return;
    record.members = tree.slice(1, maxMembers + 1).map(({ pid: member, startedAt }) => ({ pid: member, startedAt }));
    this.write();
  }

  /** The process ended and its tree is gone. */
  remove(pid: number): void {
    if (this.children.delete(pid)) this.write();
  }

  dispose(): void {
    if (this.children.size === 0) rmSync(this.file, { force: true });
  }

  private async complete(record: ChildRecord): Promise<void> {
    this.ownStart ??= await startTimeOf(process.pid);
    record.startedAt = await startTimeOf(record.pid);
    if (this.children.get(record.pid) === record) this.write();
  }

  private write(): void {
    const content: RecordFile = {
      owner: { pid: process.pid, startedAt: this.ownStart },
      children: [...this.children.values()],
    };
    const temporary = `${this.file}.new`;
    try {
      mkdirSync(this.folder, { recursive: true });
      writeFileSync(temporary, JSON.stringify(content));
      renameSync(temporary, this.file);
    } catch {
      // A full or read-only disk must not keep servers from running; all that is lost is the clean-up after a crash.
    }
  }
}

/** Ends what owners that are gone have left behind, and forgets their files. Resolves with what was ended. */
export async function reapOrphans(folder: string): Promise<ChildRecord[]> {
  let names: string[];
  try {
    names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  } catch {
    return []; // nothing was ever recorded
  }
  const reaped: ChildRecord[] = [];
  for (const name of names) {
    const file = path.join(folder, name);
    const record = isOlderThanSystem(file) ? undefined : readRecord(file);
    if (record && (await isSame(record.owner))) continue;
    for (const child of record?.children ?? []) {
      if (child.startedAt === undefined) continue;
      const tree = remainsOf(child, await listProcesses());
      if (tree.length === 0) continue;
      await killTree(child.pid, tree);
      reaped.push(child);
    }
    rmSync(file, { force: true });
  }
  return reaped;
}

/**
 * What still runs of a noted process and all that it started. It may have ended itself and left its children behind.
 */
export function remainsOf(
  { pid, startedAt, members = [] }: ChildRecord,
  processes: readonly ProcessInfo[],
): ProcessInfo[] {
  const find = (one: { pid: number; startedAt: string | undefined }) =>
    processes.find((info) => info.pid === one.pid && info.startedAt === one.startedAt);
  const hasExited = find({ pid, startedAt }) === undefined;
  const known = members.flatMap((member) => find(member) ?? []);
  const isSameGroup = !hasExited || known.some(({ group }) => group === pid);
  return treeOf(
    pid,
    hasExited,
    known,
    isSameGroup ? processes : processes.filter((info) => info.group !== pid || known.includes(info)),
  );
}

/**
 * Whether the file was written before the system started: then nothing it names runs, and its numbers belong to
 * others.
 */
function isOlderThanSystem(file: string): boolean {
  try {
    return statSync(file).mtimeMs < Date.now() - uptime() * 1_000;
  } catch {
    return false; // another window was faster
  }
}

async function isSame({ pid, startedAt }: { pid: number; startedAt: string | undefined }): Promise<boolean> {
  if (!isAlive(pid)) return false;
  // Without a start time (the note was cut short) a living pid is given the benefit of the doubt.
  return startedAt === undefined || (await startTimeOf(pid)) === startedAt;
}

function readRecord(file: string): RecordFile | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (
      !isObject(value) ||
      !isObject(value['owner']) ||
      typeof value['owner']['pid'] !== 'number' ||
      !Array.isArray(value['children'])
    )
      return undefined;
    const text = (item: unknown) => (typeof item === 'string' ? item : undefined);
    return {
      owner: { pid: value['owner']['pid'], startedAt: text(value['owner']['startedAt']) },
      children: (value['children'] as unknown[]).flatMap((child) =>
        isObject(child) && typeof child['pid'] === 'number'
          ? [
              {
                pid: child['pid'],
                startedAt: text(child['startedAt']),
                server: text(child['server']) ?? '',
                members: membersIn(child['members']),
              },
            ]
          : [],
      ),
    };
  } catch {
    return undefined; // half-written or foreign: only worth removing
  }
}

function membersIn(value: unknown): Member[] {
  return Array.isArray(value)
    ? (value as unknown[]).flatMap((one) =>
        isObject(one) && typeof one['pid'] === 'number' && typeof one['startedAt'] === 'string'
          ? [{ pid: one['pid'], startedAt: one['startedAt'] }]
          : [],
      )
    : [];
}
