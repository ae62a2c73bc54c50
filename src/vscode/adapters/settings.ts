import * as vscode from 'vscode';
import type { Disposable } from '../../core/base/disposable.js';
import { DisposableStore } from '../../core/base/disposable.js';
import { Emitter } from '../../core/base/event.js';
import type { LimitSetting } from '../../core/details/limitFacts.js';
import type { HostSettings, SettingsSource } from '../../core/config/hostSettings.js';
import type { SettingKey, SettingTypes, VsCodeAgent } from '../manifest.js';
import { updateSetting } from './storage.js';
import { settingDefaults } from '../manifest.js';
import { othersValues, ownValue, settingValue } from './settingPolicy.js';
import { writtenSetting } from './writtenSetting.js';

const limitKeys: Readonly<Record<LimitSetting, SettingKey>> = {
  requestTimeoutMs: 'mcpDeck.requestTimeout',
  startTimeoutMs: 'mcpDeck.startTimeout',
  stopGraceMs: 'mcpDeck.stopGrace',
  restartOnCrash: 'mcpDeck.restartOnCrash',
};

/**
 * Reads the settings, except those about rules and about which servers may run, which have their own readers. Other
 * code gets a frozen snapshot, change events, and methods for single settings.
 */
export class VsCodeSettings implements SettingsSource, Disposable {
  private readonly store = new DisposableStore();
  private readonly changed = this.store.add(new Emitter<void>());
  readonly onDidChange = this.changed.event;
  private readonly serversChanged = this.store.add(new Emitter<void>());
  /** Fires only for changes to servers and their inputs. */
  readonly onDidChangeServers = this.serversChanged.event;
  private snapshot: HostSettings | undefined;

  constructor() {
    this.store.add(
      vscode.workspace.onDidChangeConfiguration((event) => {
        const own: readonly SettingKey[] = ['mcpDeck.servers', 'mcpDeck.inputs'];
        if (own.some((key) => event.affectsConfiguration(key))) this.serversChanged.fire();
        // The rules have their own reader, `VsCodeRuleSettings`.
        const others = (Object.keys(settingDefaults) as SettingKey[]).filter(
          (key) => !own.includes(key) && key !== 'mcpDeck.rules',
        );
        if (!others.some((key) => event.affectsConfiguration(key))) return;
        this.snapshot = undefined;
        this.changed.fire();
      }),
    );
  }

  current(): HostSettings {
    this.snapshot ??= Object.freeze<HostSettings>({
      autoStart: read('mcpDeck.autoStart'),
      maxMessageBytes: read('mcpDeck.limits.maxMessageBytes'),
      requestTimeoutMs: read('mcpDeck.requestTimeout') * 1_000,
      startTimeoutMs: read('mcpDeck.startTimeout') * 1_000,
      stopGraceMs: read('mcpDeck.stopGrace') * 1_000,
      builtInServer: read('mcpDeck.builtInServer.enabled'),
      restartOnCrash: read('mcpDeck.restartOnCrash'),
      trace: read('mcpDeck.trace'),
    });
    return this.snapshot;
  }

  /** Whether the user, the workspace, or the remote machine has set a value for this setting. */
  isSet(setting: LimitSetting): boolean {
    const written = writtenSetting(limitKeys[setting]);
    return ownValue(written) !== undefined || othersValues(written).length > 0;
  }

  /** Whether the gateway starts with the window. */
  startsGateway(): boolean {
    return read('mcpDeck.gateway.enabled');
  }

  /** How VS Code's own agent gets the servers. */
  vsCodeAgent(): VsCodeAgent {
    return read('mcpDeck.vsCodeAgent');
  }

  /** Maximum size of a resource that opens in an editor, in bytes. */
  maxResourceBytes(): number {
    return read('mcpDeck.limits.maxResourceBytes');
  }

  /** The unchecked limits for sampling requests from servers. Read only from the user settings. */
  samplingLimits(): unknown {
    return ownValue(writtenSetting('mcpDeck.sampling' satisfies SettingKey));
  }

  /** The unchecked value of `mcpDeck.registries`. Workspace values for this setting are ignored. */
  registries(): readonly unknown[] {
    return read('mcpDeck.registries');
  }

  /** The unchecked servers in the user settings. Workspace values for this setting are ignored. */
  userServers(): unknown {
    return ownValue(writtenSetting('mcpDeck.servers' satisfies SettingKey));
  }

  /** The unchecked inputs in the user settings. Workspace values for this setting are ignored. */
  userInputs(): unknown {
    return ownValue(writtenSetting('mcpDeck.inputs' satisfies SettingKey));
  }

  dispose(): void {
    this.store.dispose();
  }
}

/**
 * Writes a setting to the user settings. If the workspace settings also contain it, writes it there as well, because
 * the workspace value would otherwise restrict the new value.
 */
export async function writeSetting<K extends SettingKey>(key: K, value: SettingTypes[K]): Promise<void> {
  const isOverridden = writtenSetting(key).workspaceValue !== undefined;
  await updateSetting(key, value, vscode.ConfigurationTarget.Global);
  if (isOverridden) await updateSetting(key, value, vscode.ConfigurationTarget.Workspace);
}

/** The effective value. Only the user settings can widen a permission (`settingPolicy.ts`). */
function read<K extends SettingKey>(key: K): SettingTypes[K] {
  return settingValue(key, writtenSetting(key));
}
