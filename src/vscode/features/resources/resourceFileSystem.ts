import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { DisposableStore } from '../../../core/base/disposable.js';
import { HostError, UserError } from '../../../core/base/hostError.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import type { HostApi } from '../../../core/host/hostApi.js';
import { failureMessage } from '../../../core/present/failure/failureText.js';
import type { ResourceFiles } from '../../../core/resources/resourceFiles.js';
import { entriesAt, kindAt } from '../../../core/resources/resourceFolders.js';
import type { ResourceAddress } from '../../../core/resources/resourcePath.js';
import { resourcePath, serverAt } from '../../../core/resources/resourcePath.js';
import { resourceOf } from '../../ui/resourceUri.js';

/** The read-only part of a file system provider. */
export type ReadingFileSystem = Pick<
  vscode.FileSystemProvider,
  'onDidChangeFile' | 'watch' | 'stat' | 'readDirectory' | 'readFile'
>;

/** `mcpdeck:/server/…`: provides the resources of all servers as read-only files. */
export class ResourceFileSystem implements ReadingFileSystem, Disposable {
  private readonly store = new DisposableStore();
  private readonly changed = this.store.add(new vscode.EventEmitter<vscode.FileChangeEvent[]>());
  readonly onDidChangeFile = this.changed.event;
  /** The watched URIs of each resource. A resource can be open under several URIs. */
  private readonly watched = new Map<string, Set<vscode.Uri>>();

  constructor(
    private readonly host: Pick<HostApi, 'servers' | 'lifecycle'>,
    private readonly files: ResourceFiles,
  ) {
    this.store.add(files.onDidChange((address) => this.fireChanged(address)));
  }

  watch(uri: vscode.Uri): vscode.Disposable {
    const address = resourceOf(uri);
    // Folders are not watched, because VS Code reads a folder again when the user opens it.
    if (!address || kindAt(this.host.servers, uri.path) === 'folder') return new vscode.Disposable(() => undefined);
    const key = resourcePath(address);
    const uris = this.watched.get(key) ?? new Set();
    this.watched.set(key, uris.add(uri));
    const watch = this.files.watch(address);
    return new vscode.Disposable(() => {
      watch.dispose();
      uris.delete(uri);
      if (uris.size === 0 && this.watched.get(key) === uris) this.watched.delete(key);
    });
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    return this.answering(uri, async (address) => {
      if (kindAt(this.host.servers, uri.path) === 'folder')
        return {
          type: vscode.FileType.Directory,
          ctime: 0,
          mtime: 0,
          size: 0,
          permissions: vscode.FilePermission.Readonly,
        };
      if (!address) throw vscode.FileSystemError.FileNotFound(uri);
      return {
        type: vscode.FileType.File,
        ctime: 0,
        ...(await this.files.stat(address)),
        permissions: vscode.FilePermission.Readonly,
      };
    });
  }

  async readDirectory(uri: vscode.Uri): Promise<[string, vscode.FileType][]> {
    return this.answering(uri, async () => {
      const server = serverAt(uri.path);
      if (server !== undefined) await this.requireRunning(server);
      const entries = entriesAt(this.host.servers, uri.path);
      if (!entries)
        throw kindAt(this.host.servers, uri.path) === 'file'
          ? vscode.FileSystemError.FileNotADirectory(uri)
          : vscode.FileSystemError.FileNotFound(uri);
      return [...entries].map(([name, kind]) => [
        name,
        kind === 'folder' ? vscode.FileType.Directory : vscode.FileType.File,
      ]);
    });
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    return this.answering(uri, async (address) => {
      if (kindAt(this.host.servers, uri.path) === 'folder') throw vscode.FileSystemError.FileIsADirectory(uri);
      if (!address) throw vscode.FileSystemError.FileNotFound(uri);
      await this.requireRunning(address.server);
      return this.files.read(address);
    });
  }

  dispose(): void {
    this.store.dispose();
  }

  /**
   * Waits for a server that is starting, because editors are restored while servers start. Rejects if the server exists
   * and is not running. Reading a file never starts a server, because a workspace can make VS Code open any URI. The
   * command that opens a resource starts the server first.
   */
  private async requireRunning(server: string): Promise<void> {
    const view = this.host.servers.get(server);
    if (view === undefined || view.state.kind === 'running') return;
    if (view.state.kind === 'starting') return this.host.lifecycle.start(server, { interactive: false });
    throw new UserError(
      vscode.l10n.t(
        'The server "{0}" is not running, and opening its files does not start it. Start the server in the Servers view, and then open the file again.',
        visibleLine(server, 80),
      ),
    );
  }

  private fireChanged(address: ResourceAddress): void {
    const uris = [...(this.watched.get(resourcePath(address)) ?? [])];
    if (uris.length > 0) this.changed.fire(uris.map((uri) => ({ type: vscode.FileChangeType.Changed, uri })));
  }

  /**
   * Replaces errors with messages of MCP Deck. Otherwise, VS Code would show its own short message for a file that is
   * not found.
   */
  private async answering<T>(uri: vscode.Uri, work: (address: ResourceAddress | undefined) => Promise<T>): Promise<T> {
    try {
      return await work(resourceOf(uri));
    } catch (error) {
      if (error instanceof vscode.FileSystemError) throw error;
      const message = failureMessage(error, { isWorkspaceTrusted: vscode.workspace.isTrusted })?.text ?? String(error);
      throw error instanceof HostError && error.code === 'not-trusted'
        ? vscode.FileSystemError.NoPermissions(message)
        : vscode.FileSystemError.Unavailable(message);
    }
  }
}
