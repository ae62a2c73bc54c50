import * as vscode from 'vscode';
import { markdownLanguage } from '../manifest.js';

/**
 * Languages whose extensions turn every address in the text into a link. Such a link can run a command of VS Code, so
 * text from a server is shown in another language, which is the value of the entry.
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

/** The language in which text from a server is shown if its own language would be `language`. */
function safeLanguage(language: string): string {
  return Object.hasOwn(replacements, language) ? (replacements[language] as string) : language;
}

/**
 * Sets the language of a document with text from a server. If no extension supports the language, the document keeps
 * its current one.
 */
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
 * Replaces the language of every document with text from a server if the language is not safe. This includes documents
 * that VS Code restored, that a link opened, or whose language the user changed.
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
