import * as vscode from 'vscode';
import type { Disposable } from '../../core/base/disposable.js';
import { DisposableStore, MutableDisposable } from '../../core/base/disposable.js';
import { Emitter } from '../../core/base/event.js';
import { messageOf } from '../../core/base/hostError.js';
import type { Log } from '../../core/base/log.js';
import { decodeConfig, maxConfigBytes } from '../../core/config/configBytes.js';
import type { ConfigSource } from '../../core/config/serverDefinition.js';
import type { ConfigurationSource, ConfigurationText } from '../../core/config/configurationSource.js';
import type { ConfigurationFileKind } from '../manifest.js';
import { configurationFileNames } from '../manifest.js';
import type { VsCodeSettings } from './settings.js';
import { readStated } from './storage.js';

/**
 * Delay before a changed file is read, in milliseconds. Editors write a file in several steps, so one read after the
 * last change is enough.
 */
const settleMs = 50;
/**
 * Delay before an empty or missing file is read again, in milliseconds. Many programs empty or remove a file before
 * they write it.
 */
const writingMs = 250;
/**
 * Delay between the first and the second read of a changed file, in milliseconds. The second read is necessary, because
 * VS Code sends no event if a file is deleted directly after its creation.
 */
const secondLookMs = 1_500;

/** Reads the configuration files of the workspace, as saved on disk, and the servers in the user settings. */
export class ConfigurationFiles implements ConfigurationSource, Disposable {
  private readonly store = new DisposableStore();
  private readonly changed = this.store.add(new Emitter<void>());
  readonly onDidChange = this.changed.event;
  private readonly watchers = this.store.add(new MutableDisposable<DisposableStore>());
  private settling: NodeJS.Timeout | undefined;
  /** IDs of the sources whose file had content at the last read. */
  private readonly filled = new Set<string>();
  private secondLook: NodeJS.Timeout | undefined;

  constructor(
    private readonly settings: VsCodeSettings,
    private readonly log: Log,
  ) {
    this.watchFolders();
    this.store.add(
      vscode.workspace.onDidChangeWorkspaceFolders(() => {
        this.watchFolders();
        this.touch();
      }),
    );
    // This event is faster than the file watcher, and it also fires on file systems that cannot be watched.
    this.store.add(
      vscode.workspace.onDidSaveTextDocument((document) => {
        if (isConfigurationFile(document.uri)) this.touch();
      }),
    );
    // On file systems that cannot be watched, changes by other programs are found when the window gets the focus.
    this.store.add(
      vscode.window.onDidChangeWindowState(({ focused }) => {
        if (focused) this.touch();
      }),
    );
    this.store.add(settings.onDidChangeServers(() => this.changed.fire()));
  }

  async read(): Promise<ConfigurationText[]> {
    const files = await Promise.all(configurationFileSources().map(({ source, uri }) => this.readFile(source, uri)));
    const value = this.settings.userServers();
    const texts: ConfigurationText[] = files.filter((file) => file !== undefined);
    return value === undefined
      ? texts
      : [{ source: userSource(), value, inputs: this.settings.userInputs() }, ...texts];
  }

  /** Schedules two reads of all files. Another call in the meantime restarts the delay. */
  touch(): void {
    clearTimeout(this.settling);
    clearTimeout(this.secondLook);
    this.settling = setTimeout(() => {
      this.changed.fire();
      this.secondLook = setTimeout(() => this.changed.fire(), secondLookMs);
    }, settleMs);
  }

  dispose(): void {
    clearTimeout(this.settling);
    clearTimeout(this.secondLook);
    this.store.dispose();
  }

  /**
   * Reads a file. If a file that had content is now empty or missing, it is read again after a delay, because another
   * program may be writing it. Without the delay, its servers would be stopped.
   */
  private async readFile(source: ConfigSource, uri: vscode.Uri): Promise<ConfigurationText | undefined> {
    const isEmpty = (file: ConfigurationText | undefined) =>
      file === undefined || ('text' in file && file.text.trim() === '');
    let file = await this.readOnce(source, uri);
    if (isEmpty(file) && this.filled.has(source.id)) {
      await new Promise((resolve) => setTimeout(resolve, writingMs));
      file = await this.readOnce(source, uri);
    }
    if (isEmpty(file)) this.filled.delete(source.id);
    else this.filled.add(source.id);
    return file;
  }

  private async readOnce(source: ConfigSource, uri: vscode.Uri): Promise<ConfigurationText | undefined> {
    try {
      const { size } = await vscode.workspace.fs.stat(uri);
      if (size > maxConfigBytes) return { source, size };
      return { source, ...decodeConfig(await readStated(uri, size, maxConfigBytes)) };
    } catch (error) {
      const isAbsent =
        error instanceof vscode.FileSystemError &&
        (error.code === 'FileNotFound' || error.code === 'FileNotADirectory');
      if (isAbsent) return undefined;
      this.log.write('warn', `${source.label} could not be read: ${messageOf(error)}`);
      return { source, unreadable: messageOf(error) };
    }
  }

  private watchFolders(): void {
    const watchers = new DisposableStore();
    for (const folder of vscode.workspace.workspaceFolders ?? []) {
      for (const name of Object.values(configurationFileNames)) {
        const watcher = watchers.add(
          vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(folder, name)),
        );
        watchers.add(watcher.onDidCreate(() => this.touch()));
        watchers.add(watcher.onDidChange(() => this.touch()));
        watchers.add(watcher.onDidDelete(() => this.touch()));
      }
    }
    this.watchers.value = watchers;
  }
}

/** All files that can define servers, in order of precedence, whether they exist or not. */
export function configurationFileSources(): {
  source: ConfigSource;
  uri: vscode.Uri;
  folder: vscode.WorkspaceFolder;
}[] {
  const folders = vscode.workspace.workspaceFolders ?? [];
  return folders.flatMap((folder) =>
    (Object.keys(configurationFileNames) as ConfigurationFileKind[]).map((kind) => {
      const name = configurationFileNames[kind];
      const uri = vscode.Uri.joinPath(folder.uri, name);
      const source: ConfigSource = {
        id: `${kind}:${uri.toString()}`,
        kind,
        label: name,
        fileUri: uri.toString(),
        ...(folder.uri.scheme === 'file' ? { folderPath: folder.uri.fsPath } : {}),
        folderName: folder.name,
        folderIndex: folder.index,
      };
      return { source, uri, folder };
    }),
  );
}

/** The label of a source in a list that contains sources of several folders. */
export function labelAmongFolders({ label, folderName }: ConfigSource): string {
  return folderName !== undefined && (vscode.workspace.workspaceFolders?.length ?? 0) > 1
    ? `${folderName}/${label}`
    : label;
}

/** The source of the servers in the setting `mcpDeck.servers`. */
export function userSource(): ConfigSource {
  return { id: 'user:mcpDeck.servers', kind: 'user', label: vscode.l10n.t('User settings') };
}

function isConfigurationFile(uri: vscode.Uri): boolean {
  return configurationFileSources().some((file) => file.uri.toString() === uri.toString());
}
