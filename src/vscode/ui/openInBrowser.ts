import * as vscode from 'vscode';

/**
 * Opens an address in the browser, character by character as it is. A `vscode.Uri` decodes and encodes queries anew, and
 * an `&` inside a value then ends the value; VS Code opens a text as it is given, although its types know only the `Uri`.
 * @param href checked by the caller, shown to the user and agreed to.
 * @returns false when the user did not let VS Code open it.
 */
export async function openInBrowser(href: string): Promise<boolean> {
  return vscode.env.openExternal(href as unknown as vscode.Uri);
}
