/**
 * What is switched off: by the user, tool by tool; by a server's own definition; and by the active preset. All three only
 * take away. The user's own switches are asked first, so that nothing a workspace brings can undo them.
 */
import type { Disposable } from '../base/disposable.js';
import { Emitter } from '../base/event.js';
import { isObject, isStringArray } from '../base/guards.js';
import type { Log } from '../base/log.js';
import { stateKeys } from '../base/stateKeys.js';
import type { StateStore } from '../ports.js';
import type { ServerEntry } from '../registry/serverEntry.js';
import { fitsAny, fitsWildcard } from '../base/wildcard.js';
import type { Preset } from './presetFile.js';

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
  /** By server and tool: the user's own word. `unreadable`: a store that says nothing any more, so everything is off. */
  private own: Readonly<Record<string, Readonly<Record<string, boolean>> | 'unreadable'>> | 'unreadable';

  constructor(
    private readonly state: StateStore,
    private readonly log: Log,
  ) {
    this.own = this.readOwn(state.get(stateKeys.tools));
    this.active = this.readActive(state.get(stateKeys.preset));
  }

  /** The active preset as it was last read: it stays when its file is gone. */
  get preset(): Preset | undefined {
    return this.active;
  }

  of({ id, name, definition }: Pick<ServerEntry, 'id' | 'name' | 'definition'>): ServerSwitches {
    const { active } = this;
    const fits = (pattern: string) => fitsWildcard(pattern, name) || fitsWildcard(pattern, id);
    const isLeftOut = active !== undefined && !active.servers.some(fits);
    const lists = active ? Object.entries(active.tools).filter(([pattern]) => fits(pattern)) : [];
    const own = this.own === 'unreadable' ? 'unreadable' : Object.hasOwn(this.own, id) ? this.own[id] : undefined;
    return {
      isLeftOut,
      ...(active ? { preset: active.name } : {}),
      whyOff: (tool) => {
        if (own === 'unreadable') return 'user';
        const word = own && Object.hasOwn(own, tool) ? own[tool] : undefined;
        if (word === false) return 'user';
        if (word === undefined && fitsAny(definition.disabledTools ?? [], tool)) return 'definition';
        return isLeftOut || (lists.length > 0 && !lists.some(([, patterns]) => fitsAny(patterns, tool))) ? 'preset' : undefined;
      },
    };
  }

  /** The user's word on one tool. */
  async setTool(server: string, tool: string, isOn: boolean): Promise<void> {
    const own = this.own === 'unreadable' ? {} : this.own;
    const before = Object.hasOwn(own, server) ? own[server] : undefined;
    const after = Object.fromEntries([...Object.entries(before === 'unreadable' || before === undefined ? {} : before).filter(([name]) => name !== tool), [tool, isOn]]);
    this.own = Object.fromEntries([...Object.entries(own).filter(([id]) => id !== server), [server, after]]);
    await this.state.set(stateKeys.tools, this.own);
    this.changes.fire();
  }

  /** Undefined: everything that the user has not switched off is on. */
  async setPreset(preset: Preset | undefined): Promise<void> {
    this.active = preset;
    // The whole preset, so that it holds also while its file cannot be read.
    await this.state.set(stateKeys.preset, preset);
    this.changes.fire();
  }

  dispose(): void {
    this.changes.dispose();
  }

  private readOwn(stored: unknown): typeof this.own {
    if (stored === undefined) return {};
    if (!isObject(stored)) {
      this.setAside(stateKeys.tools, stored, 'Every tool counts as disabled until you switch one on.');
      return 'unreadable';
    }
    const isGood = (value: unknown): value is Record<string, boolean> => isObject(value) && Object.values(value).every((one) => typeof one === 'boolean');
    const bad = Object.entries(stored).filter(([, value]) => !isGood(value));
    if (bad.length > 0) this.setAside(stateKeys.tools, stored, `The tools of ${bad.map(([server]) => server).join(', ')} count as disabled until you switch one on.`);
    return Object.fromEntries(Object.entries(stored).map(([server, value]) => [server, isGood(value) ? value : ('unreadable' as const)]));
  }

  private readActive(stored: unknown): Preset | undefined {
    if (stored === undefined || stored === null) return undefined;
    if (isObject(stored) && typeof stored['name'] === 'string' && isStringArray(stored['servers']) && isObject(stored['tools']) && Object.values(stored['tools']).every(isStringArray)) return stored as unknown as Preset;
    this.setAside(stateKeys.preset, stored, 'Nothing is on until you choose a preset, or none.');
    return { name: '?', servers: [], tools: {} };
  }

  private setAside(key: string, content: unknown, what: string): void {
    void this.state.set(`${key}.unreadable`, content);
    this.log.write('warn', `What was stored under ${key} cannot be read and was set aside. ${what}`);
  }
}
