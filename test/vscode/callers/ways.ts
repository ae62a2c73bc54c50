/** The ways to make VS Code run a command. All go through the real window except `other extension`. */
import * as vscode from 'vscode';
import { answerPicks, answerTypedPicks } from '../support/dialogs.js';
import { until } from '../support/host.js';

export const ways = [
  'palette',
  'keybinding',
  'runCommands',
  'revived address',
  'revived line',
  'focused line',
  'other extension',
] as const;
export type Way = (typeof ways)[number];

/** The arguments of a row of the table: plain data, as a file of a workspace can contain it. */
export interface Passed {
  args: object;
  /** A line of a view, by its predictable id. */
  line: { view: string; id: string };
  /** The address of one of our documents. */
  address: { scheme: string; path: string; query?: string };
}

/** Runs the command through the window, which passes our extension a revived copy of the arguments. */
export function throughWindow(command: string, ...args: unknown[]): Thenable<unknown> {
  return vscode.commands.executeCommand('runCommands', {
    commands: [args.length === 0 ? command : { command, args: args[0] }],
  });
}

export function runBy(way: Way, command: string, { args, line, address }: Passed): Thenable<unknown> {
  switch (way) {
    case 'palette':
      return throughWindow(command);
    case 'keybinding':
      return throughWindow(command, args);
    case 'runCommands':
      return vscode.commands.executeCommand('runCommands', { commands: ['noop', { command, args }] });
    case 'revived address':
      return throughWindow(command, { $mid: 1, ...address });
    case 'revived line':
      return throughWindow(command, { $treeViewId: line.view, $treeItemHandle: `1/${line.id}` });
    case 'focused line':
      return throughWindow(command, { $treeViewId: line.view, $focusedTreeItem: true });
    case 'other extension':
      return vscode.commands.executeCommand(command, args);
  }
}

/** The name of the line that VS Code creates from the plain data; undefined if it creates none. */
async function nameOfLine(line: object): Promise<string | undefined> {
  const nothing = 'no line was copied';
  await vscode.env.clipboard.writeText(nothing);
  const stubs = [answerPicks(() => undefined), answerTypedPicks(() => undefined)];
  try {
    await throughWindow('mcpDeck.copyName', line);
  } finally {
    for (const one of stubs) one.restore();
  }
  const name = await vscode.env.clipboard.readText();
  return name === nothing ? undefined : name;
}

/** Focuses the first line of the view with commands that any caller can run. */
export function focusFirst(view: string): Promise<void> {
  return focusLine(view, 'list.focusFirst');
}

/** Focuses the last server, which is the built-in one, or the first line of another view. */
export function focusHarmless(view: string): Promise<void> {
  return view === 'mcpDeck.servers' ? focusLine(view, 'list.focusLast') : focusFirst(view);
}

async function focusLine(view: string, move: string): Promise<void> {
  await until(`a line of ${view} has the focus`, async () => {
    await vscode.commands.executeCommand(`${view}.focus`);
    await vscode.commands.executeCommand(move);
    return (await nameOfLine({ $treeViewId: view, $focusedTreeItem: true })) !== undefined;
  });
}

/** Expands lines of the Servers view from the first one on, until VS Code has read the one with that id. */
export async function unfold(id: string): Promise<void> {
  const view = 'mcpDeck.servers';
  const focused = () => nameOfLine({ $treeViewId: view, $focusedTreeItem: true });
  const isDrawn = async () => (await nameOfLine({ $treeViewId: view, $treeItemHandle: `1/${id}` })) !== undefined;
  if (await isDrawn()) return;
  await focusFirst(view);
  await until(
    `the line ${id} is drawn`,
    async () => {
      const before = await focused();
      const moves = async (command: string) => {
        await vscode.commands.executeCommand(command);
        return until('the focus moves', async () => (await focused()) !== before, 500).catch(() => false);
      };
      // On an expanded line, "expand" moves into it. Lines expand a moment after the command, so at the last one it
      // starts again.
      if (!(await moves('list.expand')) && !(await moves('list.focusDown'))) await focusFirst(view);
      return isDrawn();
    },
    50_000,
  );
}
