import * as vscode from 'vscode';
import type { Disposable } from '../../core/base/disposable.js';
import { DisposableStore } from '../../core/base/disposable.js';
import { Emitter } from '../../core/base/event.js';
import type { RuleSettings } from '../../core/consent/ruleBook.js';
import type { SettingKey } from '../manifest.js';
import { ownValue } from './settingPolicy.js';
import { updateSetting } from './storage.js';
import { writtenSetting } from './writtenSetting.js';

const key = 'mcpDeck.rules' satisfies SettingKey;
const believedKey = 'mcpDeck.believedServers' satisfies SettingKey;

/** `mcpDeck.rules`: the user's list, and what the workspace's settings say under the same name. */
export class VsCodeRuleSettings implements RuleSettings, Disposable {
  private readonly store = new DisposableStore();
  private readonly changed = this.store.add(new Emitter<void>());
  readonly onDidChange = this.changed.event;
  /** Each call of a tool needs them, and VS Code copies all settings at each look: read once after each change. */
  private believedIds: readonly string[] | undefined;

  constructor() {
    this.store.add(
      vscode.workspace.onDidChangeConfiguration((event) => {
        this.believedIds = undefined;
        if (event.affectsConfiguration(key) || event.affectsConfiguration(believedKey)) this.changed.fire();
      }),
    );
    this.store.add(vscode.workspace.onDidChangeWorkspaceFolders(() => this.changed.fire()));
  }

  read(): { user: unknown; workspace: readonly unknown[] } {
    const written = writtenSetting(key);
    const { workspaceFile, workspaceFolders = [] } = vscode.workspace;
    // Without a workspace file the workspace's settings are those of its folder.
    const folders = workspaceFile
      ? workspaceFolders.map(({ uri }) => writtenSetting(key, uri).workspaceFolderValue)
      : [];
    // The remote machine's settings are written by the file of a dev container: they count as those of the workspace.
    return { user: ownValue(written), workspace: [written.globalRemoteValue, written.workspaceValue, ...folders] };
  }

  async write(rules: readonly unknown[]): Promise<void> {
    await updateSetting(key, rules.length === 0 ? undefined : rules, vscode.ConfigurationTarget.Global);
  }

  /** Servers whose hints the user believes; the user's own settings alone say so. */
  believed(): readonly string[] {
    this.believedIds ??= readBelieved();
    return this.believedIds;
  }

  dispose(): void {
    this.store.dispose();
  }
}

function readBelieved(): readonly string[] {
  const value = ownValue(writtenSetting(believedKey));
  return Array.isArray(value) ? value.filter((id): id is string => typeof id === 'string') : [];
}
