/** The ways in which VS Code can be made to run a command, each through the real window except for `other extension`. */
import * as vscode from 'vscode';

export const ways = ['palette', 'keybinding', 'runCommands', 'revived address', 'revived line', 'focused line', 'other extension'] as const;
export type Way = (typeof ways)[number];

/** What a row of the table passes: plain data, as a file of a workspace can hold it. */
export interface Passed {
  args: object;
  /** The line of a view, by the id that anybody can work out. */
  line: { view: string; id: string };
  /** An address of one of our documents. */
  address: { scheme: string; path: string; query?: string };
}

/** Runs the command by way of the window, which hands our extension a revived copy of the arguments. */
export function throughWindow(command: string, ...args: unknown[]): Thenable<unknown> {
  return vscode.commands.executeCommand('runCommands', { commands: [args.length === 0 ? command : { command, args: args[0] }] });
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

/** Brings the line that is first in the view into focus, as commands that anybody can run do. */
export async function focusFirst(view: string): Promise<void> {
  await vscode.commands.executeCommand(`${view}.focus`);
  await vscode.commands.executeCommand('list.focusFirst');
}
