import path from 'node:path';
import { isObject, isStringArray } from '../base/guards.js';
import { Emitter } from '../base/event.js';
import type { StateStore } from '../base/stores.js';
import type { ServerEntry } from '../registry/serverEntry.js';
import { stateKeys } from '../base/stores.js';

/** A folder on disk that a server may receive as a root. */
export interface RootFolder {
  name: string;
  path: string;
}

/** Key of a choice for all servers, used after the stored choices were lost. */
const lostChoice = '*';

/**
 * Determines which folders each server receives as roots: those of the workspace, unless the user chose others
 * (specification: client/roots, "Security Considerations").
 */
export class ChosenRoots {
  private readonly changed = new Emitter<void>();
  readonly onDidChange = this.changed.event;

  constructor(private readonly state: StateStore) {}

  /** The folders for `entry`; `workspace` are those of the window. */
  folders(entry: ServerEntry, workspace: readonly RootFolder[]): RootFolder[] {
    const chosen = this.chosen(entry);
    if (!chosen) return [...workspace];
    return chosen.map(
      (folder) => workspace.find((known) => known.path === folder) ?? { name: path.basename(folder), path: folder },
    );
  }

  /** The folders that the user chose; undefined if the user has not chosen. */
  chosen({ id }: ServerEntry): string[] | undefined {
    const all = this.stored();
    const stored = Object.hasOwn(all, id) ? all[id] : all[lostChoice];
    if (stored === undefined || stored === null) return undefined;
    // The stored value restricted the folders but cannot be read, so no folder is shared.
    return isStringArray(stored) ? stored : [];
  }

  /**
   * Stores the choice. Undefined restores the default: the folders of the workspace, including folders that are added
   * later.
   */
  async choose({ id }: ServerEntry, folders: readonly string[] | undefined): Promise<void> {
    const rest = Object.fromEntries(Object.entries(this.stored()).filter(([key]) => key !== id));
    const back = Object.hasOwn(rest, lostChoice) ? { ...rest, [id]: null } : rest;
    await this.state.set(stateKeys.roots, folders ? { ...rest, [id]: folders } : back);
    this.changed.fire();
  }

  private stored(): Record<string, unknown> {
    const stored = this.state.get(stateKeys.roots);
    if (stored === undefined || stored === null) return {};
    return isObject(stored) ? stored : { [lostChoice]: [] };
  }
}
