import * as vscode from 'vscode';

const dimScheme = 'mcpdeck-dim';

/** The address of a line that is drawn dim. */
export function dimUri(id: string): vscode.Uri {
  return vscode.Uri.from({ scheme: dimScheme, path: `/${id}` });
}

/** Labels of a tree have no colour of their own; a decoration of their address gives them one. */
export function registerDimming(): vscode.Disposable {
  const decoration = new vscode.FileDecoration(undefined, undefined, new vscode.ThemeColor('disabledForeground'));
  return vscode.window.registerFileDecorationProvider({ provideFileDecoration: ({ scheme }) => (scheme === dimScheme ? decoration : undefined) });
}
