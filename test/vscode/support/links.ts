import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { until } from './host.js';

const isSafe = ({ languageId }: vscode.TextDocument) => ['mcpdeck-markdown', 'plaintext'].includes(languageId);

/**
 * Checks that no link of a shown document with the text of a server runs a command of VS Code, also after a change of
 * the language. The text has to have such a link.
 */
export async function assertNoCommandLinks(document: vscode.TextDocument): Promise<void> {
  assert.match(document.getText(), /\]\(command:workbench/);
  await until('the language is replaced', () => isSafe(document));
  await vscode.languages.setTextDocumentLanguage(document, 'markdown');
  await until('the language is replaced again', () => isSafe(document));
  const links = await vscode.commands.executeCommand<vscode.DocumentLink[]>(
    'vscode.executeLinkProvider',
    document.uri,
    100,
  );
  assert.deepEqual(
    links.filter(({ target }) => target?.scheme !== 'https').map(({ target }) => String(target)),
    [],
  );
}
