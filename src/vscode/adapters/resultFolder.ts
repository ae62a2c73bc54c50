import { open } from 'node:fs/promises';
import * as vscode from 'vscode';
import { messageOf } from '../../core/base/hostError.js';
import type { Log } from '../../core/base/log.js';
import { fileNameOf } from '../../core/present/text/fileName.js';
import type { ResultDocument, ResultFile } from '../../core/present/result/resultPage.js';
import { makeFolder, onFile, writeWholeFile } from './storage.js';

/** Result files are kept for this number of days, because editors may still show them. */
const keptDays = 7;

/**
 * The folder for images, audio, and very large texts of results, in the extension's storage folder. Each result has its
 * own folder. File names consist of fixed words and a sanitized title. Old folders are deleted when the first new one
 * is created.
 */
export class ResultFolder {
  private ready: Promise<vscode.Uri> | undefined;
  private count = 0;

  constructor(
    private readonly storage: vscode.Uri,
    private readonly log: Log,
  ) {}

  async write(title: string, files: readonly ResultFile[]): Promise<vscode.Uri[]> {
    if (files.length === 0) return [];
    const folder = await this.resultFolder(title);
    return Promise.all(
      files.map(async (file) => {
        const uri = vscode.Uri.joinPath(folder, file.name);
        await writeWholeFile(uri, file.bytes);
        return uri;
      }),
    );
  }

  /** Writes the text in pieces, so that it does not block the extension host. */
  async writeText(title: string, document: ResultDocument): Promise<vscode.Uri> {
    const folder = await this.resultFolder(title);
    const uri = vscode.Uri.joinPath(folder, `${fileNameOf(title)}.${extensionOf(document.languageId)}`);
    await onFile('write', uri, undefined, () => writePieces(uri.fsPath, document.pieces()));
    return uri;
  }

  private async resultFolder(title: string): Promise<vscode.Uri> {
    // The promise is cleared after a failure, so that the next call tries again.
    this.ready ??= this.prepare().catch((error: unknown) => {
      this.ready = undefined;
      throw error;
    });
    const folder = vscode.Uri.joinPath(await this.ready, `${Date.now()}-${++this.count} ${fileNameOf(title)}`);
    await makeFolder(folder);
    return folder;
  }

  private async prepare(): Promise<vscode.Uri> {
    const root = vscode.Uri.joinPath(this.storage, 'results');
    await makeFolder(root);
    try {
      const oldest = Date.now() - keptDays * 24 * 60 * 60 * 1_000;
      for (const [name] of await vscode.workspace.fs.readDirectory(root)) {
        const writtenAt = Number.parseInt(name, 10);
        if (writtenAt < oldest) await vscode.workspace.fs.delete(vscode.Uri.joinPath(root, name), { recursive: true });
      }
    } catch (error) {
      // Remaining old files are harmless, so continue with the new result.
      this.log.write('warn', `Old result files could not be removed: ${messageOf(error)}`);
    }
    return root;
  }
}

async function writePieces(path: string, pieces: Iterable<string>): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    for (const piece of pieces) await file.write(piece);
  } finally {
    await file.close();
  }
}

/** The file extension for text in this language, without the dot. */
export function extensionOf(languageId: string): string {
  return extensions[languageId] ?? 'txt';
}

const extensions: Readonly<Record<string, string>> = {
  json: 'json',
  jsonc: 'jsonc',
  markdown: 'md',
  html: 'html',
  xml: 'xml',
  yaml: 'yaml',
  css: 'css',
  javascript: 'js',
  typescript: 'ts',
  python: 'py',
};
