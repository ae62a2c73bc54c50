import * as vscode from 'vscode';
import type { Disposable } from '../../core/base/disposable.js';
import { DisposableStore } from '../../core/base/disposable.js';
import { Emitter } from '../../core/base/event.js';
import type { LimitSetting } from '../../core/details/limitFacts.js';
import type { HostSettings, SettingsSource } from '../../core/config/hostSettings.js';
import type { SettingKey, SettingTypes } from '../manifest.js';
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

/** The one reader of settings: everything else gets a frozen snapshot and hears of changes. */
export class VsCodeSettings implements SettingsSource, Disposable {
  private readonly store = new DisposableStore();
  private readonly changed = this.store.add(new Emitter<void>());
  readonly onDidChange = this.changed.event;
  private readonly serversChanged = this.store.add(new Emitter<void>());
  /** The servers and their inputs alone; the other settings do not fire this. */
  readonly onDidChangeServers = this.serversChanged.event;
  private snapshot: HostSettings | undefined;

  constructor() {
    this.store.add(
      vscode.workspace.onDidChangeConfiguration((event) => {
        const own: readonly SettingKey[] = ['mcpDeck.servers', 'mcpDeck.inputs'];
        if (own.some((key) => event.affectsConfiguration(key))) this.serversChanged.fire();
        // Rules are read by those who decide.
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

  /** Whether the user or the workspace wrote it down. */
  isSet(setting: LimitSetting): boolean {
    const written = writtenSetting(limitKeys[setting]);
    return ownValue(written) !== undefined || othersValues(written).length > 0;
  }

  /** The largest resource that opens in an editor, in bytes. */
  maxResourceBytes(): number {
    return read('mcpDeck.limits.maxResourceBytes');
  }

  /** How much servers may ask of language models, as it is written; of the user's own settings only. */
  samplingLimits(): unknown {
    return ownValue(writtenSetting('mcpDeck.sampling' satisfies SettingKey));
  }

  /** The servers of the user's own settings; what a workspace says under this key is not looked at. */
  userServers(): unknown {
    return ownValue(writtenSetting('mcpDeck.servers' satisfies SettingKey));
  }

  /** What they ask for; likewise of the user's own settings only. */
  userInputs(): unknown {
    return ownValue(writtenSetting('mcpDeck.inputs' satisfies SettingKey));
  }

  dispose(): void {
    this.store.dispose();
  }
}

/**
 * Writes one setting where it takes effect: for the user, and also where the workspace overrides it, which could only
 * narrow it.
 */
export async function writeSetting<K extends SettingKey>(key: K, value: SettingTypes[K]): Promise<void> {
  const isOverridden = writtenSetting(key).workspaceValue !== undefined;
  await updateSetting(key, value, vscode.ConfigurationTarget.Global);
  if (isOverridden) await updateSetting(key, value, vscode.ConfigurationTarget.Workspace);
}

/** The value that counts; whatever is widened stands in the user's own settings (`settingPolicy.ts`). */
function read<K extends SettingKey>(key: K): SettingTypes[K] {
  return settingValue(key, writtenSetting(key));
}
