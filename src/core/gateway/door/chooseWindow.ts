import { isWithin } from '../../base/folderPath.js';
import type { FoundRecord } from './windowRecords.js';
import type { Worktree } from './worktree.js';
import { worktreeOf } from './worktree.js';

/** The facts that a door knows about its caller. */
export interface DoorCaller {
  /** The folder in which the caller works: absolute, without symbolic links. */
  folder: string;
  /** Whether any window may serve a caller whose folder no window has open. */
  isAnyWindow: boolean;
}

export interface WindowChoice {
  /** The windows that may serve the caller, the best one first. */
  windows: readonly FoundRecord[];
  /** The next step of the user if none of the windows can be reached. */
  advice: string;
}

/** Maximum number of folders that the advice names. */
const maxNamed = 5;

/**
 * Chooses the windows that have the caller's folder open; the window that was focused last comes first. An open folder
 * in another worktree of the same repository does not count, even if the caller's worktree is below it.
 */
export async function chooseWindow(
  { folder, isAnyWindow }: DoorCaller,
  records: readonly FoundRecord[],
): Promise<WindowChoice> {
  const here = await worktreeOf(folder);
  const byFocus = [...records].sort((one, other) => other.focusedAt - one.focusedAt);
  const windows: FoundRecord[] = [];
  const otherWorktrees = new Set<string>();
  for (const record of byFocus) {
    const trees = await Promise.all(record.folders.map(async (open) => ({ open, tree: await worktreeOf(open) })));
    const others = trees.filter(({ tree }) => isOtherWorktree(here, tree));
    for (const { open } of others) otherWorktrees.add(open);
    if (trees.some(({ open, tree }) => isWithin(folder, open) && !isOtherWorktree(here, tree))) windows.push(record);
  }
  const otherWindows = byFocus.filter((record) => !windows.includes(record));
  if (isAnyWindow && windows.length === 0 && otherWorktrees.size === 0) windows.push(...byFocus);
  return { windows, advice: adviceFor(folder, isAnyWindow, otherWorktrees, otherWindows) };
}

function adviceFor(
  folder: string,
  isAnyWindow: boolean,
  otherWorktrees: ReadonlySet<string>,
  records: readonly FoundRecord[],
): string {
  const isFree = isAnyWindow && otherWorktrees.size === 0;
  const start = 'select "Start Gateway" in the Gateway view of MCP Deck';
  const advice = isFree
    ? `The gateway of MCP Deck is not on in any VS Code window. Open a folder in VS Code, and ${start}.`
    : `No VS Code window with the gateway of MCP Deck has the folder "${folder}" open. Open this folder in VS Code, and ${start}.`;
  // Folders of other projects are not named, because the agent works on this one.
  const others = records.length;
  return [
    advice,
    ...(otherWorktrees.size > 0
      ? [
          otherWorktrees.size === 1
            ? `${named(otherWorktrees)} is open, but it is another worktree of the same repository, so it is not used for this folder.`
            : `${named(otherWorktrees)} are open, but they are other worktrees of the same repository, so they are not used for this folder.`,
        ]
      : []),
    ...(!isFree && otherWorktrees.size === 0 && others > 0
      ? [
          others === 1
            ? 'The gateway is on in another window, which has other folders open. To use that window, start the agent in one of its folders.'
            : `The gateway is on in ${others} other windows, which have other folders open. To use one of them, start the agent in one of its folders.`,
        ]
      : []),
  ].join(' ');
}

function named(folders: ReadonlySet<string>): string {
  const shown = [...folders].slice(0, maxNamed).map((folder) => `"${folder}"`);
  return folders.size > maxNamed ? `${shown.join(', ')}, …` : shown.join(', ');
}

/** Whether two folders are in different worktrees of one repository. */
function isOtherWorktree(one: Worktree | undefined, other: Worktree | undefined): boolean {
  return one !== undefined && other !== undefined && one.repository === other.repository && one.top !== other.top;
}
