import * as vscode from 'vscode';
import { UserError } from '../../core/base/hostError.js';
import { visibleLine } from '../../core/base/hostileText.js';
import { visibleName } from '../../core/base/visibleName.js';
import { linkTarget } from '../../core/present/text/linkTarget.js';
import { showInformation } from '../adapters/userMessages.js';

/**
 * Opens a link from server content. A web address opens if the user agrees, after a question that shows the whole
 * address. A file of the workspace opens in the editor. Other links do not open (security requirements V3 and D2).
 */
export async function openLink(href: string, server: string | undefined): Promise<void> {
  const target = linkTarget(href);
  if (target === undefined)
    throw new UserError(
      vscode.l10n.t(
        'MCP Deck opens only web addresses and files of the workspace, not this address: {0}',
        visibleLine(href, 300),
      ),
    );
  if (target === 'file') return openFile(vscode.Uri.parse(href, true));
  await askToOpen(target, server);
}

/**
 * Asks the user whether to open a web address, and shows the whole address. Opens it if the user agrees. Returns false
 * if the user declines.
 */
export async function askToOpen(target: URL, server: string | undefined): Promise<boolean> {
  const open: vscode.MessageItem = { title: vscode.l10n.t('Open Link') };
  const copy: vscode.MessageItem = { title: vscode.l10n.t('Copy Link') };
  const message =
    server === undefined
      ? vscode.l10n.t('Open this address in the browser?')
      : vscode.l10n.t('Open this address, which the server "{0}" sent, in the browser?', visibleName(server, 80));
  // Pressing Enter chooses the first button, so the first button must not open the browser.
  const answer = await showInformation(message, { modal: true, detail: visibleLine(target.href, 8_192) }, copy, open);
  if (answer === copy) await vscode.env.clipboard.writeText(target.href);
  return answer === open && openInBrowser(target.href);
}

async function openFile(uri: vscode.Uri): Promise<void> {
  if (!vscode.workspace.getWorkspaceFolder(uri))
    throw new UserError(
      vscode.l10n.t('MCP Deck opens only files of the workspace, not this file: {0}', visibleLine(uri.fsPath, 300)),
    );
  await vscode.commands.executeCommand('vscode.open', uri, { preview: true } satisfies vscode.TextDocumentShowOptions);
}

/**
 * Opens an address in the browser without changing any character. A `vscode.Uri` decodes the query and encodes it
 * again, so that an encoded `&` inside a value would become a separator. VS Code opens a string unchanged, although its
 * types allow only a `Uri`.
 *
 * @param href an address that the caller has checked and the user has approved.
 * @returns false if the user canceled VS Code's own question.
 */
export async function openInBrowser(href: string): Promise<boolean> {
  return vscode.env.openExternal(href as unknown as vscode.Uri);
}
