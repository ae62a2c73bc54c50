/**
 * What is switched off: by the user, tool by tool; by a server's own definition; and by the active preset. All three only
 * take away. The user's own switches are asked first, so that nothing a workspace brings can undo them.
 */
import type { Disposable } from '../base/disposable.js';
import { Emitter } from '../base/event.js';
import { stateKeys } from '../base/stateKeys.js';
import type { StateStore } from '../base/stores.js';
import type { ServerEntry } from '../registry/serverEntry.js';
import { fitsAny, fitsWildcard } from '../base/wildcard.js';
import { isWithin } from './presetFile.js';
import type { Preset } from './presetFile.js';
import type { ToolWords } from './storedSwitches.js';
import { emptyPreset, isActivePreset, readSwitches } from './storedSwitches.js';

/** Why a tool is off. */
export type OffReason = 'user' | 'definition' | 'preset';

/** What is off of one server. */
export interface ServerSwitches {
  /** The active preset leaves the server out. */
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
  private words: ToolWords;
  private isLost: boolean;

  constructor(private readonly state: StateStore) {
    const { words, isLost } = readSwitches(state.get(stateKeys.tools));
    this.words = words;
    this.isLost = isLost;
    const active = state.get(stateKeys.preset);
    this.active = isActivePreset(active) ? (active ?? undefined) : active === undefined ? undefined : emptyPreset;
  }

  /** What the user switched off is not known any more: tools without a word of the user since then are off. */
  get hasLost(): boolean {
    return this.isLost;
  }

  /** The active preset as it was last read: it stays when its file is gone. */
  get preset(): Preset | undefined {
    return this.active;
  }

  of({ id, name, definition }: Pick<ServerEntry, 'id' | 'name' | 'definition'>): ServerSwitches {
    const { active, edit } = this;
    const fits = (pattern: string) => fitsWildcard(pattern, name) || fitsWildcard(pattern, id);
    // What the active preset leaves out, and what its edit does.
    const sets = [active, edit]
      .filter((preset) => preset !== undefined)
      .map(({ servers, tools }) => ({
        isLeftOut: !servers.some(fits),
        lists: Object.entries(tools).filter(([pattern]) => fits(pattern)),
      }));
    const isLeftOut = sets.some((set) => set.isLeftOut);
    const words = Object.hasOwn(this.words, id) ? this.words[id] : undefined;
    const { isLost } = this;
    return {
      isLeftOut,
      ...(active ? { preset: active.name } : {}),
      whyOff: (tool) => {
        const word = words && Object.hasOwn(words, tool) ? words[tool] : undefined;
        if (word === false || (word === undefined && isLost)) return 'user';
        if (word === undefined && fitsAny(definition.disabledTools ?? [], tool)) return 'definition';
        return isLeftOut ||
          sets.some(({ lists }) => lists.length > 0 && !lists.some(([, patterns]) => fitsAny(patterns, tool)))
          ? 'preset'
          : undefined;
      },
    };
  }

  /** The tools of a server that the user switched off by name. */
  offOf(server: string): string[] {
    const words = Object.hasOwn(this.words, server) ? this.words[server] : undefined;
    return Object.entries(words ?? {}).flatMap(([tool, isOn]) => (isOn ? [] : [tool]));
  }

  /** The user's word on one tool. */
  async setTool(server: string, tool: string, isOn: boolean): Promise<void> {
    const before = Object.hasOwn(this.words, server) ? this.words[server] : undefined;
    const after = Object.fromEntries([...Object.entries(before ?? {}).filter(([name]) => name !== tool), [tool, isOn]]);
    this.words = Object.fromEntries([...Object.entries(this.words).filter(([id]) => id !== server), [server, after]]);
    await this.save();
  }

  /** After a loss: what the user has not switched off since then is on. */
  async forgetLoss(): Promise<void> {
    this.isLost = false;
    await this.save();
  }

  /** What stands in the file of the active preset, where it would switch more on and nobody has agreed to that. */
  get waitingEdit(): Preset | undefined {
    return this.edit;
  }

  /**
   * The active preset reads otherwise in its file now. What that takes away is off at once; what it would switch on waits
   * until somebody chooses the preset again. Undefined: it is in no file any more, and holds as it was.
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

  /** A person's choice. Undefined: everything that the user has not switched off is on. */
  async setPreset(preset: Preset | undefined): Promise<void> {
    // The same once more is no word about its edit.
    if (preset !== this.active) this.edit = undefined;
    this.active = preset;
    // The whole preset, so that it holds also while its file cannot be read.
    await this.state.set(stateKeys.preset, preset);
    this.changes.fire();
  }

  dispose(): void {
    this.changes.dispose();
  }

  private async save(): Promise<void> {
    await this.state.set(stateKeys.tools, this.isLost ? { isLost: true, words: this.words } : this.words);
    this.changes.fire();
  }
}
