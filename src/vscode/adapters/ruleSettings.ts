import * as vscode from 'vscode';
import type { Disposable } from '../../core/base/disposable.js';
import { DisposableStore } from '../../core/base/disposable.js';
import { Emitter } from '../../core/base/event.js';
import type { RuleSettings } from '../../core/consent/ruleBook.js';
import type { SettingKey } from '../manifest.js';
import { updateSetting } from '../storage.js';

const key = 'mcpDeck.rules' satisfies SettingKey;
const believedKey = 'mcpDeck.believedServers' satisfies SettingKey;

/** `mcpDeck.rules`: the user's list, and what the workspace's settings say under the same name. */
export class VsCodeRuleSettings implements RuleSettings, Disposable {
  private readonly store = new DisposableStore();
  private readonly changed = this.store.add(new Emitter<void>());
  readonly onDidChange = this.changed.event;

  constructor() {
    this.store.add(vscode.workspace.onDidChangeConfiguration((event) => (event.affectsConfiguration(key) || event.affectsConfiguration(believedKey) ? this.changed.fire() : undefined)));
    this.store.add(vscode.workspace.onDidChangeWorkspaceFolders(() => this.changed.fire()));
  }

  read(): { user: unknown; workspace: readonly unknown[] } {
    const inspected = vscode.workspace.getConfiguration().inspect(key);
    const { workspaceFile, workspaceFolders = [] } = vscode.workspace;
    // Without a workspace file the workspace's settings are those of its folder.
    const folders = workspaceFile ? workspaceFolders.map(({ uri }) => vscode.workspace.getConfiguration(undefined, uri).inspect(key)?.workspaceFolderValue) : [];
    return { user: inspected?.globalValue, workspace: [inspected?.workspaceValue, ...folders] };
  }

  async write(rules: readonly unknown[]): Promise<void> {
    await updateSetting(key, rules.length === 0 ? undefined : rules, vscode.ConfigurationTarget.Global);
  }

  /** Servers whose hints the user believes; the user's own settings alone say so. */
  believed(): readonly string[] {
    const value = vscode.workspace.getConfiguration().inspect<unknown>(believedKey)?.globalValue;
    return Array.isArray(value) ? value.filter((id): id is string => typeof id === 'string') : [];
  }

  dispose(): void {
    this.store.dispose();
  }
}
