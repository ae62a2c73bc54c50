import * as vscode from 'vscode';
import { UserError } from '../../core/base/hostError.js';
import { visibleLine } from '../../core/base/hostileText.js';
import { linkTarget } from '../../core/present/text/linkTarget.js';
import { showInformation } from '../adapters/userMessages.js';

/**
 * A link in what a server sent. The web opens after a question with the whole address; a file of the workspace opens in the
 * editor; nothing else opens at all (security requirements V3 and D2).
 */
export async function openLink(href: string, server: string | undefined): Promise<void> {
  const target = linkTarget(href);
  if (target === undefined)
    throw new UserError(vscode.l10n.t('MCP Deck does not open this address: {0}', visibleLine(href, 300)));
  if (target === 'file') return openFile(vscode.Uri.parse(href, true));
  await askToOpen(target, server);
}

/** Opens an address of the web after a question with the whole of it; false when the user did not want that. */
export async function askToOpen(target: URL, server: string | undefined): Promise<boolean> {
  const open: vscode.MessageItem = { title: vscode.l10n.t('Open Link') };
  const copy: vscode.MessageItem = { title: vscode.l10n.t('Copy Link') };
  const message =
    server === undefined
      ? vscode.l10n.t('Open this address in the browser?')
      : vscode.l10n.t('Open this address, which the server "{0}" sent, in the browser?', visibleLine(server, 80));
  // The first button is the default one: a hasty Enter must not leave the window.
  const answer = await showInformation(message, { modal: true, detail: visibleLine(target.href, 8_192) }, copy, open);
  if (answer === copy) await vscode.env.clipboard.writeText(target.href);
  return answer === open && openInBrowser(target.href);
}

async function openFile(uri: vscode.Uri): Promise<void> {
  if (!vscode.workspace.getWorkspaceFolder(uri))
    throw new UserError(vscode.l10n.t('MCP Deck opens files of the workspace only: {0}', visibleLine(uri.fsPath, 300)));
  await vscode.commands.executeCommand('vscode.open', uri, { preview: true } satisfies vscode.TextDocumentShowOptions);
}

/**
 * Opens an address in the browser, character by character as it is. A `vscode.Uri` decodes and encodes queries anew, and
 * an `&` inside a value then ends the value; VS Code opens a text as it is given, although its types know only the `Uri`.
 * @param href checked by the caller, shown to the user and agreed to.
 * @returns false when the user did not let VS Code open it.
 */
export async function openInBrowser(href: string): Promise<boolean> {
  return vscode.env.openExternal(href as unknown as vscode.Uri);
}
