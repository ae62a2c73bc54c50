/**
 * Tools can be switched off by the user, by the definition of their server, and by the active preset. The user's choice
 * is checked first: no file of a workspace can turn on a tool that the user switched off. A tool that the user switched
 * on is on even if the definition disables it, but not if the active preset leaves it out.
 */
import type { Disposable } from '../base/disposable.js';
import { Emitter } from '../base/event.js';
import { stateKeys } from '../base/stores.js';
import type { StateStore } from '../base/stores.js';
import type { ServerEntry } from '../registry/serverEntry.js';
import { fitsAny } from '../base/wildcard.js';
import { isWithin } from './presetFile.js';
import type { Preset } from './presetFile.js';
import { scopeOf } from './presetScope.js';
import type { ToolChoices } from './storedSwitches.js';
import { emptyPreset, isActivePreset, readSwitches } from './storedSwitches.js';

/** Why a tool is off. */
export type OffReason = 'user' | 'definition' | 'preset';

/** The parts of one server that are switched off. */
export interface ServerSwitches {
  /** Whether the active preset excludes the server. */
  isLeftOut: boolean;
  /** The active preset's name. */
  preset?: string;
  whyOff(tool: string): OffReason | undefined;
}

export class ToolSwitches implements Disposable {
  private readonly changes = new Emitter<void>();
  readonly onDidChange = this.changes.event;
  private active: Preset | undefined;
  private edit: Preset | undefined;
  private choices: ToolChoices;
  private isLost: boolean;

  constructor(private readonly state: StateStore) {
    const { words: choices, isLost } = readSwitches(state.get(stateKeys.tools));
    this.choices = choices;
    this.isLost = isLost;
    const active = state.get(stateKeys.preset);
    this.active = isActivePreset(active) ? (active ?? undefined) : active === undefined ? undefined : emptyPreset;
  }

  /** Whether the user's earlier choices were lost. If so, tools without a later choice are off. */
  get hasLost(): boolean {
    return this.isLost;
  }

  /** The active preset as it was last read. It is kept when its file is deleted. */
  get preset(): Preset | undefined {
    return this.active;
  }

  of({ id, name, definition }: Pick<ServerEntry, 'id' | 'name' | 'definition'>): ServerSwitches {
    const { active, edit } = this;
    // A tool must be on both in the active preset and in the edited preset that waits for the user's approval.
    const scopes = [active, edit]
      .filter((preset) => preset !== undefined)
      .map((preset) => scopeOf(preset, { id, name }));
    const isLeftOut = scopes.some((scope) => scope.isLeftOut);
    const choices = Object.hasOwn(this.choices, id) ? this.choices[id] : undefined;
    const { isLost } = this;
    const { disabledTools } = definition;
    return {
      isLeftOut,
      ...(active ? { preset: active.name } : {}),
      whyOff: (tool) => {
        const choice = choices && Object.hasOwn(choices, tool) ? choices[tool] : undefined;
        if (choice === false || (choice === undefined && isLost)) return 'user';
        if (choice === undefined && disabledTools && fitsAny(disabledTools, tool)) return 'definition';
        return scopes.some((scope) => !scope.isOn(tool)) ? 'preset' : undefined;
      },
    };
  }

  /** The tools of a server that the user switched off by name. */
  offOf(server: string): string[] {
    const choices = Object.hasOwn(this.choices, server) ? this.choices[server] : undefined;
    return Object.entries(choices ?? {}).flatMap(([tool, isOn]) => (isOn ? [] : [tool]));
  }

  /** Switches one tool on or off on behalf of the user. */
  async setTool(server: string, tool: string, isOn: boolean): Promise<void> {
    const before = Object.hasOwn(this.choices, server) ? this.choices[server] : undefined;
    const after = Object.fromEntries([...Object.entries(before ?? {}).filter(([name]) => name !== tool), [tool, isOn]]);
    this.choices = Object.fromEntries([
      ...Object.entries(this.choices).filter(([id]) => id !== server),
      [server, after],
    ]);
    await this.save();
  }

  /** Ends the effect of a loss: only the tools that the user has switched off since then remain off. */
  async forgetLoss(): Promise<void> {
    this.isLost = false;
    await this.save();
  }

  /** The edited version of the active preset, if it would turn more on and the user has not agreed to that. */
  get waitingEdit(): Preset | undefined {
    return this.edit;
  }

  /**
   * Applies a change of the active preset's file. Items that the change disables are off at once. Items that it would
   * enable stay off until the user applies the change or selects the preset again. Undefined means that no file
   * contains the preset any longer; the preset then continues to apply unchanged.
   */
  async follow(written: Preset | undefined): Promise<void> {
    const { active } = this;
    if (!active) return;
    if (written && isWithin(written, active)) {
      const isNew = this.edit !== undefined || JSON.stringify(written) !== JSON.stringify(active);
      this.edit = undefined;
      if (isNew) await this.setPreset(written);
      return;
    }
    if (JSON.stringify(this.edit) === JSON.stringify(written)) return;
    this.edit = written;
    this.changes.fire();
  }

  /**
   * Sets the preset that the user selected. Undefined means no preset: everything is on except what the user or a
   * definition has switched off.
   */
  async setPreset(preset: Preset | undefined): Promise<void> {
    // Selecting the same preset object again does not accept its edit.
    if (preset !== this.active) this.edit = undefined;
    this.active = preset;
    // Stores the whole preset, so that it applies even when its file cannot be read.
    await this.state.set(stateKeys.preset, preset);
    this.changes.fire();
  }

  dispose(): void {
    this.changes.dispose();
  }

  private async save(): Promise<void> {
    await this.state.set(stateKeys.tools, this.isLost ? { isLost: true, words: this.choices } : this.choices);
    this.changes.fire();
  }
}
