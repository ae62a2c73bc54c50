import * as vscode from 'vscode';
import type { Deck } from './deck.js';
import type { ReadingFileSystem } from './features/resources/resourceFileSystem.js';
import { resourceScheme } from './manifest.js';

/** Registers the file system for resources during activation. The first access loads the deck. */
export function registerLazyFileSystem(loadDeck: () => Promise<Deck>): vscode.Disposable {
  const readOnlyMessage = new vscode.MarkdownString(vscode.l10n.t('Resources of MCP servers are read-only.'));
  return vscode.workspace.registerFileSystemProvider(resourceScheme, new LazyFileSystem(loadDeck), {
    isCaseSensitive: true,
    isReadonly: readOnlyMessage,
  });
}

class LazyFileSystem implements vscode.FileSystemProvider {
  private readonly changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.changed.event;
  private files: Promise<ReadingFileSystem> | undefined;

  constructor(private readonly loadDeck: () => Promise<Deck>) {}

  watch(uri: vscode.Uri, options: { recursive: boolean; excludes: readonly string[] }): vscode.Disposable {
    let isDisposed = false;
    let watch: vscode.Disposable | undefined;
    this.load().then(
      (files) => {
        if (!isDisposed) watch = files.watch(uri, options);
      },
      // The error is ignored here, because reading the file fails with the same error and reports it.
      () => undefined,
    );
    return new vscode.Disposable(() => {
      isDisposed = true;
      watch?.dispose();
    });
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    return (await this.load()).stat(uri);
  }

  async readDirectory(uri: vscode.Uri): Promise<[string, vscode.FileType][]> {
    return (await this.load()).readDirectory(uri);
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    return (await this.load()).readFile(uri);
  }

  createDirectory(uri: vscode.Uri): never {
    throw readOnly(uri);
  }

  writeFile(uri: vscode.Uri): never {
    throw readOnly(uri);
  }

  delete(uri: vscode.Uri): never {
    throw readOnly(uri);
  }

  rename(uri: vscode.Uri): never {
    throw readOnly(uri);
  }

  private load(): Promise<ReadingFileSystem> {
    this.files ??= this.open().catch((error: unknown) => {
      // The next access tries to load again.
      this.files = undefined;
      throw error;
    });
    return this.files;
  }

  private async open(): Promise<ReadingFileSystem> {
    const { files } = await this.loadDeck();
    files.onDidChangeFile((changes) => this.changed.fire(changes));
    return files;
  }
}

function readOnly(uri: vscode.Uri): vscode.FileSystemError {
  return vscode.FileSystemError.NoPermissions(
    vscode.l10n.t('{0} is a resource of an MCP server and is read-only.', uri.path),
  );
}
