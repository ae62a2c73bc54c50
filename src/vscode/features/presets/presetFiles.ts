import * as vscode from 'vscode';
import { maxConfigBytes } from '../../../core/config/configBytes.js';
import { readTextUpTo } from '../../adapters/storage.js';
import type { Disposable } from '../../../core/base/disposable.js';
import { DisposableStore, MutableDisposable } from '../../../core/base/disposable.js';
import { Emitter } from '../../../core/base/event.js';
import type { HostApi } from '../../../core/host/hostApi.js';
import type { ConfigProblem } from '../../../core/config/serverDefinition.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import { messageOf } from '../../../core/base/hostError.js';
import type { Log } from '../../../core/base/log.js';
import { Sequencer } from '../../../core/base/sequencer.js';
import type { Preset, PresetFile } from '../../../core/presets/presetFile.js';
import type { ToolOverride } from '../../../core/presets/toolOverrides.js';
import { unmatchedPatterns, readPresets } from '../../../core/presets/presetFile.js';
import { rangeOf } from '../../adapters/openSource.js';

/** The preset file in each workspace folder. It is intended for version control. */
export const presetFileName = '.vscode/mcp-deck.json';

interface Reading {
  uri: vscode.Uri;
  file: PresetFile;
}

/** Reads the presets of the open folders and reports problems in the files. */
export class PresetFiles implements Disposable {
  private readonly store = new DisposableStore();
  private readonly changed = this.store.add(new Emitter<void>());
  readonly onDidChange = this.changed.event;
  private readonly diagnostics = this.store.add(vscode.languages.createDiagnosticCollection('mcp-deck-presets'));
  private readonly watchers = this.store.add(new MutableDisposable<DisposableStore>());
  private readonly reading = new Sequencer();
  /** The last valid content by file URI. */
  private files = new Map<string, PresetFile>();
  /** The results of the last read, including files with errors. */
  private readings: readonly Reading[] = [];

  constructor(private readonly deck: { log: Log; host: Pick<HostApi, 'servers'> }) {
    this.watch();
    // Problems about unknown servers depend on the list of servers, so they are updated when the list changes.
    this.store.add(deck.host.servers.onDidChange(({ server }) => (server === undefined ? this.draw() : undefined)));
    this.store.add(
      vscode.workspace.onDidChangeWorkspaceFolders(() => {
        this.watch();
        this.read();
      }),
    );
    this.store.add(
      vscode.workspace.onDidSaveTextDocument(({ uri }) => {
        if (presetUris().some((own) => own.toString() === uri.toString())) this.read();
      }),
    );
    this.read();
  }

  /** If several presets have the same name, the preset of the first folder is used. */
  get presets(): readonly Preset[] {
    const all = [...this.files.values()].flatMap(({ presets }) => presets);
    return all.filter((preset, index) => all.findIndex(({ name }) => name === preset.name) === index);
  }

  /** The changes to the tools that agents see, from all files. */
  get overrides(): readonly ToolOverride[] {
    return [...this.files.values()].flatMap(({ overrides }) => overrides);
  }

  /** Reads the files now, without waiting for the file watcher. */
  refresh(): Promise<void> {
    this.read();
    return this.reading.run(async () => {});
  }

  dispose(): void {
    this.store.dispose();
  }

  private read(): void {
    void this.reading.run(async () => {
      const next = new Map<string, PresetFile>();
      const readings: Reading[] = [];
      for (const uri of presetUris()) {
        const file = await this.readFile(uri);
        const key = uri.toString();
        if (!file) continue;
        readings.push({ uri, file });
        next.set(key, file.isBroken ? (this.files.get(key) ?? file) : file);
      }
      this.files = next;
      this.readings = readings;
      this.draw();
      this.changed.fire();
    });
  }

  private draw(): void {
    const servers = this.deck.host.servers.list().map(({ entry }) => entry);
    this.diagnostics.clear();
    for (const { uri, file } of this.readings) {
      const stray = new Set(
        unmatchedPatterns(
          file.lists.map(({ server }) => server),
          servers,
        ),
      );
      const warnings = file.lists
        .filter(({ server }) => stray.has(server))
        .map(({ server, position }): ConfigProblem => ({
          severity: 'warning',
          message: vscode.l10n.t(
            'No server in this window is named "{0}". If the name is misspelled, this list does not apply to the intended server.',
            visibleLine(server, 60),
          ),
          position,
        }));
      this.diagnostics.set(uri, [...file.problems, ...warnings].map(diagnosticOf));
    }
  }

  private async readFile(uri: vscode.Uri): Promise<PresetFile | undefined> {
    try {
      return readPresets(await readTextUpTo(uri, maxConfigBytes));
    } catch (error) {
      if (!(
        error instanceof vscode.FileSystemError &&
        (error.code === 'FileNotFound' || error.code === 'FileNotADirectory')
      ))
        this.deck.log.write('warn', `${presetFileName} could not be read: ${messageOf(error)}`);
      return undefined;
    }
  }

  private watch(): void {
    const watchers = new DisposableStore();
    for (const folder of vscode.workspace.workspaceFolders ?? []) {
      const watcher = watchers.add(
        vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(folder, presetFileName)),
      );
      for (const event of [watcher.onDidCreate, watcher.onDidChange, watcher.onDidDelete])
        watchers.add(event(() => this.read()));
    }
    this.watchers.value = watchers;
  }
}

function diagnosticOf({ message, severity, position }: ConfigProblem): vscode.Diagnostic {
  const diagnostic = new vscode.Diagnostic(
    rangeOf(position),
    message,
    severity === 'error' ? vscode.DiagnosticSeverity.Error : vscode.DiagnosticSeverity.Warning,
  );
  diagnostic.source = 'MCP Deck';
  return diagnostic;
}

/** The URIs of the preset files of all workspace folders. The files need not exist. */
export function presetUris(): vscode.Uri[] {
  return (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => vscode.Uri.joinPath(uri, presetFileName));
}
