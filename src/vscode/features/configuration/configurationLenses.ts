import * as vscode from 'vscode';
import { Emitter } from '../../../core/base/event.js';
import type { Disposable } from '../../../core/base/disposable.js';
import { DisposableStore } from '../../../core/base/disposable.js';
import type { ServersApi } from '../../../core/host/hostServers.js';
import { membersOf, parseJsonTree } from '../../../core/config/configNodes.js';
import type { ServerLens } from '../../../core/present/tree/serverLenses.js';
import { serverLenses } from '../../../core/present/tree/serverLenses.js';
import type { ConfigSource } from '../../../core/config/serverDefinition.js';
import { configurationFileSources, userSource } from '../../adapters/configurationFiles.js';
import { OfferedTarget } from '../../ui/invocation.js';
import type { SettingKey } from '../../manifest.js';
import { commandIds } from '../../manifest.js';

/** Shows the state and actions above each server in configuration files. */
export class ConfigurationLenses implements vscode.CodeLensProvider, Disposable {
  private readonly store = new DisposableStore();
  private readonly changed = this.store.add(new Emitter<void>());
  readonly onDidChangeCodeLenses = this.changed.event as unknown as vscode.Event<void>;

  constructor(private readonly servers: ServersApi) {
    this.store.add(servers.onDidChange(() => this.changed.fire()));
    this.store.add(vscode.languages.registerCodeLensProvider(configurationDocuments, this));
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const place = sourceOf(document);
    if (!place) return [];
    const views = this.servers.list().filter(({ entry }) => entry.source.id === place.source.id);
    const byName = new Map(views.map((view) => [view.entry.name, view]));
    return serverKeys(document.getText(), place.keys).flatMap(({ name, offset }) => {
      const view = byName.get(name);
      if (!view) return [];
      const range = document.lineAt(document.positionAt(offset).line).range;
      return serverLenses(view).map((lens) => new vscode.CodeLens(range, commandOf(lens, view.id)));
    });
  }

  dispose(): void {
    this.store.dispose();
  }
}

/** Selects documents by their file name. `sourceOf` decides which of them are configuration files. */
export const configurationDocuments: vscode.DocumentSelector = [
  { pattern: '**/mcp.json' },
  { pattern: '**/.mcp.json' },
  { pattern: '**/settings.json' },
];

/**
 * A lens does not prove that the user clicked it, because VS Code has commands that list the lenses of a line and run
 * one.
 */
function commandOf({ title, command }: ServerLens, server: string): vscode.Command {
  return { title, command: commandIds[command], arguments: [new OfferedTarget({ server })] };
}

/** The source for a document and the keys that contain its servers. Undefined if the document defines no servers. */
export function sourceOf({ uri }: vscode.TextDocument): { source: ConfigSource; keys: readonly string[] } | undefined {
  const file = configurationFileSources().find((one) => one.uri.toString() === uri.toString());
  if (file) return { source: file.source, keys: ['servers', 'mcpServers'] };
  // A workspace folder can also contain a file with such a path, which is not the user settings file.
  const isUserSettings =
    uri.scheme === 'vscode-userdata' ||
    (/\/User\/(?:profiles\/[^/]+\/)?settings\.json$/.test(uri.path) &&
      vscode.workspace.getWorkspaceFolder(uri) === undefined);
  return isUserSettings ? { source: userSource(), keys: ['mcpDeck.servers' satisfies SettingKey] } : undefined;
}

function serverKeys(text: string, keys: readonly string[]): { name: string; offset: number }[] {
  let root;
  try {
    root = parseJsonTree(text, [], { allowTrailingComma: true });
  } catch {
    // The document has too many values or is nested too deeply. The Problems view reports it.
    return [];
  }
  const maps = root ? membersOf(root).filter(({ name }) => keys.includes(name)) : [];
  return maps.flatMap(({ value }) => membersOf(value).map(({ name, key }) => ({ name, offset: key.offset })));
}
