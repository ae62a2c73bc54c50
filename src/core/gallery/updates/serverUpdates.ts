/**
 * Finds newer versions, deprecations, and removals of installed servers in the stored lists of registries. The lists
 * are read when installed servers or lists change. No registry is contacted: only *Find a Server…* updates lists.
 */
import { Emitter } from '../../base/event.js';
import { isObject, valueAt } from '../../base/guards.js';
import { Sequencer } from '../../base/sequencer.js';
import type { StateStore } from '../../base/stores.js';
import { stateKeys } from '../../base/stores.js';
import type { GalleryEntry } from '../galleryEntry.js';
import { galleryFields, installedFrom } from '../installedFrom.js';
import { listsState, storedLists } from './storedLists.js';
import { isNewer } from './versionOrder.js';

/** A configured server. The fields `gallery` and `version` of its definition, which are untrusted, name its entry. */
interface ConfiguredServer {
  id: string;
  entry: { definition: { extra?: Readonly<Record<string, unknown>> } };
}

/** The registry's information about an installed server. */
export interface UpdateNews {
  /** The name of the server in its registry. */
  name: string;
  /** The URL or path of the registry. */
  place: string;
  /** The installed version. */
  version: string;
  /** The latest entry. Absent if the registry no longer lists the server. */
  entry?: GalleryEntry;
  /** Whether the latest entry is newer, and the user neither skipped it nor pinned the installed version. */
  hasUpdate: boolean;
  /** Whether the user pinned the installed version. */
  isPinned: boolean;
}

/** The user's choice for an installed server. */
export type UpdateChoice =
  /** Offers no newer version. */
  | { kind: 'pin' }
  /** Does not offer this version. */
  | { kind: 'skip'; version: string }
  /** Offers every newer version again. */
  | { kind: 'none' };

export class ServerUpdates {
  private readonly changed = new Emitter<void>();
  readonly onDidChange = this.changed.event;
  private news: ReadonlyMap<string, UpdateNews> = new Map();
  /** The lists, definitions and choices that the present information was computed from. */
  private known = '';
  private readonly sequencer = new Sequencer();

  /**
   * @param folder the folder of the stored lists, as for `GalleryStore`.
   * @param state keeps the user's choices for all workspaces.
   */
  constructor(
    private readonly folder: string,
    private readonly state: StateStore,
  ) {}

  /**
   * The update, deprecation or removal of a server; undefined if it was not installed from a registry, or its registry
   * was never read.
   */
  of(server: string): UpdateNews | undefined {
    return this.news.get(server);
  }

  /** Reads the stored lists, if the lists, the installed servers, or the user's choices changed. */
  refresh(servers: readonly ConfiguredServer[]): Promise<void> {
    return this.sequencer.run(async () => {
      const installed = servers.flatMap(({ id, entry }) => {
        const fields = entry.definition.extra;
        const from = installedFrom(fields);
        return from ? [{ id, gallery: String(valueAt(fields, ['gallery'])), ...from }] : [];
      });
      if (installed.length === 0 && this.news.size === 0) return;
      const choices = this.choices();
      const known = JSON.stringify([installed, choices, await listsState(this.folder)]);
      if (known === this.known) return;
      const lists = await storedLists(this.folder, new Set(installed.map(({ name }) => name)));
      const news = new Map<string, UpdateNews>();
      for (const { id, gallery, name, version } of installed)
        for (const { source, entries } of lists) {
          if (galleryFields(source, { name, version })['gallery'] !== gallery) continue;
          const entry = entries.find((one) => one.name === name);
          const choice: unknown = valueAt(choices, [gallery]);
          const isPinned = valueAt(choice, ['kind']) === 'pin';
          const isSkipped = entry !== undefined && valueAt(choice, ['version']) === entry.version;
          const hasUpdate = entry !== undefined && isNewer(entry.version, version) && !isPinned && !isSkipped;
          news.set(id, { name, place: source, version, hasUpdate, isPinned, ...(entry ? { entry } : {}) });
          break;
        }
      this.news = news;
      this.known = known;
      this.changed.fire();
    });
  }

  /** Keeps the user's choice for the entry that a server was installed from. */
  async choose(fields: unknown, choice: UpdateChoice): Promise<void> {
    const gallery = valueAt(fields, ['gallery']);
    if (typeof gallery !== 'string') return;
    const others = Object.entries(this.choices()).filter(([name]) => name !== gallery);
    await this.state.set(
      stateKeys.updates,
      Object.fromEntries(choice.kind === 'none' ? others : [...others, [gallery, choice]]),
    );
  }

  private choices(): Readonly<Record<string, unknown>> {
    const stored = this.state.get(stateKeys.updates);
    return isObject(stored) ? stored : {};
  }

  dispose(): void {
    this.changed.dispose();
  }
}
