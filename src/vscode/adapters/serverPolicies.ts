import * as vscode from 'vscode';
import type { Disposable } from '../../core/base/disposable.js';
import { DisposableStore } from '../../core/base/disposable.js';
import { Emitter } from '../../core/base/event.js';
import type { PolicyRule, PolicySettings, ServerPolicies, WrittenPolicy } from '../../core/registry/serverPolicy.js';
import { ownPolicySettings, readPolicy, vsCodePolicySettings } from '../../core/registry/serverPolicy.js';
import { policyValues } from './policyValues.js';
import { writtenSetting } from './writtenSetting.js';

/** The settings with rules about servers. All of them apply, so each one can only exclude more servers. */
const sources: readonly PolicySettings[] = [vsCodePolicySettings, ownPolicySettings];

/** The rules about which servers may run, from the settings of VS Code and of MCP Deck in all scopes. */
export class VsCodePolicies implements ServerPolicies, Disposable {
  private readonly store = new DisposableStore();
  private readonly changed = this.store.add(new Emitter<void>());
  readonly onDidChange = this.changed.event;
  private rules: readonly PolicyRule[] | undefined;

  constructor() {
    const keys = sources.flatMap((settings) => Object.values(settings));
    const forget = () => {
      this.rules = undefined;
      this.changed.fire();
    };
    this.store.add(
      vscode.workspace.onDidChangeConfiguration((event) =>
        keys.some((key) => event.affectsConfiguration(key)) ? forget() : undefined,
      ),
    );
    this.store.add(vscode.workspace.onDidChangeWorkspaceFolders(forget));
  }

  current(): readonly PolicyRule[] {
    this.rules ??= sources.flatMap((settings) => readPolicy(writtenIn(settings), settings));
    return this.rules;
  }

  dispose(): void {
    this.store.dispose();
  }
}

function writtenIn(settings: PolicySettings): WrittenPolicy[] {
  // Without a workspace file, the workspace settings are the settings of the only folder.
  const folders = vscode.workspace.workspaceFile ? (vscode.workspace.workspaceFolders ?? []) : [];
  return policyValues(
    settings,
    (key) => writtenSetting(key),
    folders.map(
      ({ uri }) =>
        (key) =>
          writtenSetting(key, uri).workspaceFolderValue,
    ),
  );
}
