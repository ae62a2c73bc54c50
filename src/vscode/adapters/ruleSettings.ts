import * as vscode from 'vscode';
import type { Disposable } from '../../core/base/disposable.js';
import { DisposableStore } from '../../core/base/disposable.js';
import { Emitter } from '../../core/base/event.js';
import type { RuleSettings, WrittenRules } from '../../core/consent/ruleBook.js';
import type { SettingKey } from '../manifest.js';
import { ownValue } from './settingPolicy.js';
import { updateSetting } from './storage.js';
import { writtenSetting } from './writtenSetting.js';

const key = 'mcpDeck.rules' satisfies SettingKey;
const trustedKey = 'mcpDeck.trustedAnnotations' satisfies SettingKey;

export class VsCodeRuleSettings implements RuleSettings, Disposable {
  private readonly store = new DisposableStore();
  private readonly changed = this.store.add(new Emitter<void>());
  readonly onDidChange = this.changed.event;
  /**
   * The trusted IDs, cached until any setting changes. Every tool call needs them, and VS Code copies all settings on
   * each read.
   */
  private trustedIds: readonly string[] | undefined;

  constructor() {
    this.store.add(
      vscode.workspace.onDidChangeConfiguration((event) => {
        this.trustedIds = undefined;
        if (event.affectsConfiguration(key) || event.affectsConfiguration(trustedKey)) this.changed.fire();
      }),
    );
    this.store.add(vscode.workspace.onDidChangeWorkspaceFolders(() => this.changed.fire()));
  }

  read(): WrittenRules {
    const written = writtenSetting(key);
    const { workspaceFile, workspaceFolders = [] } = vscode.workspace;
    // Without a workspace file, the workspace settings are the settings of the only folder.
    const folders = workspaceFile
      ? workspaceFolders.map(({ uri }) => writtenSetting(key, uri).workspaceFolderValue)
      : [];
    // A dev container file of the workspace can write the remote machine settings, so they count as workspace settings.
    const workspace = [written.globalRemoteValue, written.workspaceValue, ...folders];
    return { user: ownValue(written), isUserHidden: written.isHidden === true, workspace };
  }

  async write(rules: readonly unknown[]): Promise<void> {
    await updateSetting(key, rules.length === 0 ? undefined : rules, vscode.ConfigurationTarget.Global);
  }

  /** IDs of the servers whose tool annotations the user trusts. Read only from the user settings. */
  trustedAnnotations(): readonly string[] {
    this.trustedIds ??= readTrusted();
    return this.trustedIds;
  }

  dispose(): void {
    this.store.dispose();
  }
}

function readTrusted(): readonly string[] {
  const value = ownValue(writtenSetting(trustedKey));
  return Array.isArray(value) ? value.filter((id): id is string => typeof id === 'string') : [];
}
