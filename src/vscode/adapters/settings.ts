import * as vscode from 'vscode';
import type { Disposable } from '../../core/base/disposable.js';
import { DisposableStore } from '../../core/base/disposable.js';
import { Emitter } from '../../core/base/event.js';
import { autoStartOf } from '../../core/config/autoStart.js';
import type { LimitSetting } from '../../core/details/limitFacts.js';
import type { HostSettings, SettingsSource } from '../../core/ports.js';
import type { SettingKey, SettingTypes } from '../manifest.js';
import { updateSetting } from '../storage.js';
import { settingDefaults } from '../manifest.js';

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
        const others = (Object.keys(settingDefaults) as SettingKey[]).filter((key) => !own.includes(key) && key !== 'mcpDeck.rules');
        if (!others.some((key) => event.affectsConfiguration(key))) return;
        this.snapshot = undefined;
        this.changed.fire();
      }),
    );
  }

  current(): HostSettings {
    this.snapshot ??= Object.freeze<HostSettings>({
      autoStart: readAutoStart(),
      maxMessageBytes: positive('mcpDeck.limits.maxMessageBytes'),
      requestTimeoutMs: positive('mcpDeck.requestTimeout') * 1_000,
      startTimeoutMs: positive('mcpDeck.startTimeout') * 1_000,
      stopGraceMs: positive('mcpDeck.stopGrace') * 1_000,
      builtInServer: readBoolean('mcpDeck.builtInServer.enabled'),
      restartOnCrash: readBoolean('mcpDeck.restartOnCrash'),
      trace: oneOf(readSetting('mcpDeck.trace'), ['off', 'on'], settingDefaults['mcpDeck.trace']),
    });
    return this.snapshot;
  }

  /** Whether the user or the workspace wrote it down. */
  isSet(setting: LimitSetting): boolean {
    const written = vscode.workspace.getConfiguration().inspect(limitKeys[setting]);
    return [written?.globalValue, written?.workspaceValue, written?.workspaceFolderValue].some((value) => value !== undefined);
  }

  /** The largest resource that opens in an editor, in bytes. */
  maxResourceBytes(): number {
    return positive('mcpDeck.limits.maxResourceBytes');
  }

  /** How much servers may ask of language models, as it is written; of the user's own settings only. */
  samplingLimits(): unknown {
    return vscode.workspace.getConfiguration().inspect('mcpDeck.sampling' satisfies SettingKey)?.globalValue;
  }

  /** The servers of the user's own settings; what a workspace says under this key is not looked at. */
  userServers(): unknown {
    return vscode.workspace.getConfiguration().inspect('mcpDeck.servers' satisfies SettingKey)?.globalValue;
  }

  /** What they ask for; likewise of the user's own settings only. */
  userInputs(): unknown {
    return vscode.workspace.getConfiguration().inspect('mcpDeck.inputs' satisfies SettingKey)?.globalValue;
  }

  dispose(): void {
    this.store.dispose();
  }
}

/** Writes one setting where it takes effect: where the workspace overrides it, there, else for the user. */
export async function writeSetting<K extends SettingKey>(key: K, value: SettingTypes[K]): Promise<void> {
  const configuration = vscode.workspace.getConfiguration();
  const isOverridden = configuration.inspect(key)?.workspaceValue !== undefined;
  await updateSetting(key, value, isOverridden ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global);
}

/** The value as it is: nothing keeps a person from writing a value of another type. */
function readSetting(key: SettingKey): unknown {
  return vscode.workspace.getConfiguration().get(key);
}

function readAutoStart(): HostSettings['autoStart'] {
  const key = 'mcpDeck.autoStart' satisfies SettingKey;
  const { globalValue, workspaceValue, workspaceFolderValue } = vscode.workspace.getConfiguration().inspect(key) ?? {};
  return autoStartOf(globalValue, workspaceFolderValue ?? workspaceValue);
}

function oneOf<T extends string>(value: unknown, allowed: readonly T[], fallback: T): T {
  return allowed.find((candidate) => candidate === value) ?? fallback;
}

type KeysOf<V> = { [K in SettingKey]: SettingTypes[K] extends V ? K : never }[SettingKey];

function positive(key: KeysOf<number>): number {
  const value = readSetting(key);
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : settingDefaults[key];
}

function readBoolean(key: KeysOf<boolean>): boolean {
  const value = readSetting(key);
  return typeof value === 'boolean' ? value : settingDefaults[key];
}
