/** Steps that the tests of the gateway share. */
import * as vscode from 'vscode';
import { pressing } from '../support/dialogs.js';
import type { CopiedEntry } from '../support/gatewayClients.js';
import { copiedEntry } from '../support/gatewayClients.js';
import { command, until } from '../support/host.js';

/** Runs a command of the user, who agrees to its question. */
export const agreeing = (button: string, id: string) => pressing(button, () => command(id));

export async function auditLog(): Promise<string> {
  await command('mcpDeck.showAuditLog');
  return until('the audit log is open', () =>
    vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === 'mcpdeck-consent')?.getText(),
  );
}

export function untilOpen(document: string): Promise<unknown> {
  return until(`${document} is open`, () =>
    vscode.window.tabGroups.all.some(({ tabs }) => tabs.some(({ label }) => label.includes(document))),
  );
}

export async function started(): Promise<CopiedEntry> {
  await agreeing('Start Gateway', 'mcpDeck.startGateway');
  await agreeing('Copy Configuration', 'mcpDeck.copyGatewayConfiguration');
  return copiedEntry();
}
