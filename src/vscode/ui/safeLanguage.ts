import * as vscode from 'vscode';
import { markdownLanguage } from '../manifest.js';

/**
 * Languages whose extensions turn any address in the text into a link of the editor. Such a link can run a command of
 * VS Code, so the text of a server is not shown in them. The value is the language that replaces it.
 */
const replacements: Readonly<Record<string, string>> = {
  markdown: markdownLanguage,
  prompt: markdownLanguage,
  instructions: markdownLanguage,
  chatagent: markdownLanguage,
  chatmode: markdownLanguage,
  skill: markdownLanguage,
  html: 'plaintext',
  handlebars: 'plaintext',
  css: 'plaintext',
  scss: 'plaintext',
  less: 'plaintext',
};

/** The language in which the text of a server is shown if its own would be `language`. */
function safeLanguage(language: string): string {
  return Object.hasOwn(replacements, language) ? (replacements[language] as string) : language;
}

/** Sets the language of a document with the text of a server. Keeps its language if no extension knows the new one. */
export async function withLanguage(document: vscode.TextDocument, language: string): Promise<vscode.TextDocument> {
  const safe = safeLanguage(language);
  if (document.languageId === safe) return document;
  try {
    return await vscode.languages.setTextDocumentLanguage(document, safe);
  } catch {
    return document;
  }
}

/**
 * Replaces the language of every document with the text of a server, however it was opened: restored, from a link, or
 * changed by the user.
 * @param storage the folders in which results are stored as files.
 */
export function watchLanguages(storage: readonly (vscode.Uri | undefined)[]): vscode.Disposable {
  const folders = storage.flatMap((uri) => (uri ? [`${uri.path.toLowerCase()}/`] : []));
  const replace = (document: vscode.TextDocument): void => {
    const { scheme, path } = document.uri;
    const isOwn = /^mcpdeck(-|$)/.test(scheme);
    if (isOwn || folders.some((folder) => path.toLowerCase().startsWith(folder)))
      void withLanguage(document, document.languageId);
  };
  vscode.workspace.textDocuments.forEach(replace);
  return vscode.workspace.onDidOpenTextDocument(replace);
}
