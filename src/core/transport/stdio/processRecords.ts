/**
 * Records the processes that this window started. If the extension host is killed, a later window reads the record and
 * ends the processes that are still running. Each window has one small file, which is always written as a whole. A
 * process is ended only in one of these cases:
 * - Its pid and start time both match the record.
 * - It descends from a process that matches the record.
 * - It is in the process group of the recorded server process, and a recorded process is still in that group. The
 *   system assigns the number of a group again only when the group is empty.
 *
 * So processes of other programs are never ended.
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { uptime } from 'node:os';
import path from 'node:path';
import { isObject } from '../../base/guards.js';
import type { ProcessInfo } from './processTree.js';
import { isAlive, killTree, listProcesses, startTimeOf, treeOf } from './processTree.js';

/**
 * Maximum number of recorded members. One is enough to recognize the group, and a server may start thousands of
 * processes.
 */
const maxMembers = 64;

interface RecordFile {
  owner: { pid: number; startedAt: string | undefined };
  children: ChildRecord[];
}

export interface ChildRecord {
  pid: number;
  startedAt: string | undefined;
  /** The ID of the server, for the log. */
  server: string;
  /** The processes that the server process had started at the last check. Default: none. */
  members?: readonly Member[];
}

/** One process. The pid alone is not enough, because the system reuses pids. */
type Member = Pick<ProcessInfo, 'pid' | 'startedAt'>;

export class ProcessRecords {
  private readonly children = new Map<number, ChildRecord>();
  private readonly file: string;
  private ownStart: string | undefined;

  /** @param folder the folder of the files; created when first needed. */
  constructor(private readonly folder: string) {
    // A pid alone is not unique: this window may have the pid of a window that has ended, whose records are still
    // needed.
    this.file = path.join(folder, `${process.pid}-${randomUUID()}.json`);
  }

  /** Records a process right after it was spawned; the start time is added as soon as it is known. */
  add(pid: number, server: string): void {
    const record: ChildRecord = { pid, startedAt: undefined, server };
    this.children.set(pid, record);
    this.write();
    void this.complete(record);
  }

  /**
   * Records the processes that the process `pid` has started so far. If a wrapper such as `npx` ends together with its
   * window, these processes identify the group. Has no effect on Windows, which has no process groups, and for a
   * process that is not recorded. Never rejects.
   */
  async look(pid: number): Promise<void> {
    if (process.platform === 'win32' || !this.children.has(pid)) return;
    const tree = treeOf(pid, false, [], await listProcesses());
    const record = this.children.get(pid);
    // If the process itself has ended, its pid may belong to another program.
    if (!record || tree[0]?.pid !== pid || (record.startedAt !== undefined && tree[0].startedAt !== record.startedAt))
      return;
    record.members = tree.slice(1, maxMembers + 1).map(({ pid: member, startedAt }) => ({ pid: member, startedAt }));
    this.write();
  }

  /** Removes a process from the record. Called when its whole process tree has ended. */
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
      // A full or read-only disk must not prevent servers from running. Without the record, only the cleanup after a
      // crash is lost.
    }
  }
}

/**
 * Ends the remaining processes of windows that no longer exist, and removes the record files of these windows. Resolves
 * to the ended processes.
 */
export async function reapOrphans(folder: string): Promise<ChildRecord[]> {
  let names: string[];
  try {
    names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  } catch {
    return []; // Nothing was recorded.
  }
  const reaped: ChildRecord[] = [];
  for (const name of names) {
    const file = path.join(folder, name);
    const record = readRecord(file);
    const isOld = isOlderThanSystem(file);
    // The clock can be set forward while a window runs, so its start time is checked before the age of the file.
    if (record && (!isOld || record.owner.startedAt !== undefined) && (await isSame(record.owner))) continue;
    for (const child of isOld ? [] : (record?.children ?? [])) {
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

/** The running processes of a recorded process tree. The recorded process may have ended before its children. */
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
 * Whether the file was written before the system started. If so, the recorded processes have ended, and their pids
 * belong to others.
 */
function isOlderThanSystem(file: string): boolean {
  try {
    return statSync(file).mtimeMs < Date.now() - uptime() * 1_000;
  } catch {
    return false; // Another window removed the file first.
  }
}

async function isSame({ pid, startedAt }: { pid: number; startedAt: string | undefined }): Promise<boolean> {
  if (!isAlive(pid)) return false;
  // A record has no start time if the window was killed early. Any process with this pid is then treated as the owner.
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
    return undefined; // An incomplete or foreign file, which can only be removed.
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
