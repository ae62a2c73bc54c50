import { isDeepStrictEqual } from 'node:util';
import { Emitter } from '../base/event.js';
import { definitionHash } from '../config/definitionHash.js';
import type { ConfigProblem, ConfigSource, ParsedConfig, ParsedServer, SourceKind } from '../config/serverDefinition.js';
import type { BrokenEntry, ServerEntry } from './serverEntry.js';

/** What a new reading changed. All empty when only problems did. */
export interface RegistryChange {
  added: readonly ServerEntry[];
  changed: readonly { before: ServerEntry; after: ServerEntry }[];
  removed: readonly ServerEntry[];
}

interface SourceState {
  source: ConfigSource;
  /** The last reading that could be parsed as a whole. */
  good: ParsedConfig;
  problems: readonly ConfigProblem[];
}

/** Order of the list, and who keeps a plain name when two sources use it: what the workspace writes never renames what the user has. */
const kindOrder: Readonly<Record<SourceKind, number>> = { builtin: 0, user: 1, vscode: 2, portable: 3 };

/**
 * Which servers exist, from all sources. Each source is set as a whole; the list that results, with its ids, depends on
 * the sources alone and not on the order in which they were read.
 */
export class ServerRegistry {
  private readonly sources = new Map<string, SourceState>();
  private readonly overrides = new Map<string, boolean>();
  private readonly changes = new Emitter<RegistryChange>();
  /** Fired after the list was replaced, only when something is different. */
  readonly onDidChange = this.changes.event;
  private current: readonly ServerEntry[] = [];
  private currentBroken: readonly BrokenEntry[] = [];

  /** All usable servers: the built-in one, the user's, then the files in folder order, each in file order. */
  get entries(): readonly ServerEntry[] {
    return this.current;
  }

  /** Entries that could not be understood. */
  get brokenEntries(): readonly BrokenEntry[] {
    return this.currentBroken;
  }

  /** What is wrong in one source; empty also for unknown ones. */
  problems(sourceId: string): readonly ConfigProblem[] {
    return this.sources.get(sourceId)?.problems ?? [];
  }

  /** Takes a new reading. A broken one keeps the last good servers and shows its problems. */
  setSource(source: ConfigSource, parsed: ParsedConfig): void {
    const before = this.sources.get(source.id);
    const good = parsed.isBroken ? (before?.good ?? { ...parsed, servers: [], inputs: [] }) : parsed;
    this.sources.set(source.id, { source, good, problems: parsed.problems });
    this.rebuild();
  }

  removeSource(sourceId: string): void {
    if (this.sources.delete(sourceId)) this.rebuild();
  }

  /** The user's own switch for one entry, over what the file says; undefined goes back to the file. */
  setEnabledOverride(entryId: string, isEnabled: boolean | undefined): void {
    if (isEnabled === undefined) this.overrides.delete(entryId);
    else this.overrides.set(entryId, isEnabled);
    this.rebuild();
  }

  private rebuild(): void {
    const before = this.current;
    const brokenBefore = this.currentBroken;
    this.current = this.list();
    this.currentBroken = this.listBroken();
    const known = new Map(before.map((entry) => [entry.id, entry]));
    const now = new Set(this.current.map(({ id }) => id));
    const change: RegistryChange = {
      added: this.current.filter(({ id }) => !known.has(id)),
      changed: this.current.flatMap((after) => {
        const old = known.get(after.id);
        return old && !isDeepStrictEqual(old, after) ? [{ before: old, after }] : [];
      }),
      removed: before.filter(({ id }) => !now.has(id)),
    };
    const isSame = change.added.length + change.changed.length + change.removed.length === 0;
    if (!isSame || !isDeepStrictEqual(brokenBefore, this.currentBroken)) this.changes.fire(change);
  }

  private get ordered(): SourceState[] {
    // Sorting is stable: sources of one kind keep the order of their folders.
    return [...this.sources.values()].sort((a, b) => kindOrder[a.source.kind] - kindOrder[b.source.kind]);
  }

  private list(): ServerEntry[] {
    const entries: ServerEntry[] = [];
    const taken = new Set<string>();
    const found = this.ordered.flatMap(({ source, good }) => good.servers.map((server) => ({ source, good, server, hash: definitionHash(server.definition, source) })));
    // A plain name that two folders use belongs to neither, so that opening a folder renames nobody twice.
    for (const { source, good, server, hash } of found) {
      const twin = entries.find((entry) => entry.name === server.name && entry.hash === hash && entry.source.folderPath === source.folderPath);
      // One folder's two files may describe the same server; it is one server then.
      if (twin && twin.source.kind !== 'user') continue;
      const id = uniqueId(server, source, found, taken);
      taken.add(id);
      entries.push({
        id,
        name: server.name,
        definition: server.definition,
        source,
        position: server.position,
        inputs: good.inputs,
        isEnabled: this.overrides.get(id) ?? !server.isDisabled,
        hash,
      });
    }
    return entries;
  }

  private listBroken(): BrokenEntry[] {
    return this.ordered.flatMap(({ source, problems }) =>
      problems
        .filter(({ severity }) => severity === 'error')
        .map((problem, index) => ({ id: `${source.id}#${index}`, name: problem.server ?? source.label, source, problem })),
    );
  }
}

/** The name where only one source has it, or for the first kind that has it; else the name with what tells the sources apart. */
function uniqueId(server: ParsedServer, source: ConfigSource, found: readonly { source: ConfigSource; server: ParsedServer }[], taken: ReadonlySet<string>): string {
  const { name } = server;
  const rivals = found.filter((other) => other.server.name === name && other.source.id !== source.id);
  const isFirstKind = rivals.every((rival) => kindOrder[rival.source.kind] > kindOrder[source.kind]);
  const candidates = [
    ...(rivals.length === 0 || isFirstKind ? [name] : []),
    `${name} (${source.folderName ?? source.label})`,
    `${name} (${source.folderName === undefined ? '' : `${source.folderName}/`}${source.label})`,
    `${name} (${source.id})`,
  ];
  const free = candidates.find((candidate) => !taken.has(candidate));
  return free ?? `${name} (${source.id}, ${taken.size})`;
}
