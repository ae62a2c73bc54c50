import { isDeepStrictEqual } from 'node:util';
import { Emitter } from '../base/event.js';
import { definitionHash } from '../config/definitionHash.js';
import type {
  ConfigProblem,
  ConfigSource,
  InputDefinition,
  ParsedConfig,
  ParsedServer,
  ServerDefinition,
  SourceKind,
} from '../config/serverDefinition.js';
import { collectVariables, inputsNamedBy, isPortableOnly } from '../config/variableSyntax.js';
import type { BrokenEntry, ServerEntry } from './serverEntry.js';

/** The changes since the previous version of the sources. All lists are empty if only problems changed. */
export interface RegistryChange {
  added: readonly ServerEntry[];
  /** Includes entries whose position in the file moved: these are new objects with the same `hash`. */
  changed: readonly { before: ServerEntry; after: ServerEntry }[];
  removed: readonly ServerEntry[];
}

/** A server of the last valid version of its source, with derived values that are expensive to compute. */
interface ReadServer {
  server: ParsedServer;
  source: ConfigSource;
  readonly inputs: readonly InputDefinition[];
  readonly hash: string;
}

interface SourceState {
  source: ConfigSource;
  /** The last version of the source that could be parsed as a whole. */
  good: ParsedConfig;
  servers: readonly ReadServer[];
  problems: readonly ConfigProblem[];
}

/**
 * The precedence of the kinds: when two sources use the same name, the source that comes first in this order keeps the
 * plain name. A workspace must never rename a server of the user.
 */
const kindOrder: Readonly<Record<SourceKind, number>> = { builtin: 0, user: 1, vscode: 2, portable: 3, scratch: 4 };

/**
 * The servers of all sources. Each source is set as a whole. The resulting IDs depend only on the sources, not on the
 * order in which they were read. Apart from sorting, the time is linear in the number of servers.
 */
export class ServerRegistry {
  private readonly sources = new Map<string, SourceState>();
  private readonly overrides = new Map<string, boolean>();
  private readonly changes = new Emitter<RegistryChange>();
  /** Fired after the list was replaced, but only if something is different. */
  readonly onDidChange = this.changes.event;
  private current: readonly ServerEntry[] = [];
  private currentById: ReadonlyMap<string, ServerEntry> = new Map();
  private currentBroken: readonly BrokenEntry[] = [];

  /**
   * All usable servers: first the built-in one, then those of the user, then those of the files in folder order, then
   * the scratch servers. Within a source, servers are in file order. An unchanged entry remains the same object.
   */
  get entries(): readonly ServerEntry[] {
    return this.current;
  }

  /** The entry with this ID. */
  entry(id: string): ServerEntry | undefined {
    return this.currentById.get(id);
  }

  /** Entries that could not be parsed, each once, in the same order as `entries`. */
  get brokenEntries(): readonly BrokenEntry[] {
    return this.currentBroken;
  }

  /** The problems of one source; empty for unknown sources. */
  problems(sourceId: string): readonly ConfigProblem[] {
    return this.sources.get(sourceId)?.problems ?? [];
  }

  /**
   * Applies a new version of a source. If it cannot be parsed as a whole, the last valid servers are kept, and the
   * problems of the new version are shown.
   */
  setSource(source: ConfigSource, parsed: ParsedConfig): void {
    const before = this.sources.get(source.id);
    const good = parsed.isBroken ? (before?.good ?? { ...parsed, servers: [], inputs: [] }) : parsed;
    const inputsById = new Map(good.inputs.map((input) => [input.id, input]));
    const servers = good.servers.map((server) => readServer(server, source, inputsById));
    this.sources.set(source.id, { source, good, servers, problems: parsed.problems });
    this.rebuild(!isDeepStrictEqual(before?.problems ?? [], parsed.problems));
  }

  /** Removes a source with its servers and problems. Does nothing for an unknown source. */
  removeSource(sourceId: string): void {
    const before = this.sources.get(sourceId);
    if (!before) return;
    this.sources.delete(sourceId);
    this.rebuild(before.problems.length > 0);
  }

  /** Sets whether the user enabled or disabled one entry, which overrides the file. Undefined removes the override. */
  setEnabledOverride(entryId: string, isEnabled: boolean | undefined): void {
    if (this.overrides.get(entryId) === isEnabled) return;
    if (isEnabled === undefined) this.overrides.delete(entryId);
    else this.overrides.set(entryId, isEnabled);
    this.rebuild(false);
  }

  private rebuild(didProblemsChange: boolean): void {
    const before = this.current;
    const brokenBefore = this.currentBroken;
    const known = this.currentById;
    const ordered = this.ordered();
    this.current = this.list(ordered).map((entry) => {
      const old = known.get(entry.id);
      return old && isSameEntry(old, entry) ? old : entry;
    });
    this.currentBroken = listBroken(ordered);
    this.currentById = new Map(this.current.map((entry) => [entry.id, entry]));
    const change: RegistryChange = {
      added: this.current.filter(({ id }) => !known.has(id)),
      changed: this.current.flatMap((after) => {
        const old = known.get(after.id);
        return old && old !== after ? [{ before: old, after }] : [];
      }),
      removed: before.filter(({ id }) => !this.currentById.has(id)),
    };
    const isSameList =
      change.added.length + change.changed.length + change.removed.length === 0 &&
      before.every((entry, index) => entry === this.current[index]);
    if (!isSameList || didProblemsChange || !isDeepStrictEqual(brokenBefore, this.currentBroken))
      this.changes.fire(change);
  }

  /** The sources in the order of the list: by kind, but files are ordered by folder first, and then by kind. */
  private ordered(): SourceState[] {
    const firstSeen = new Map<string, number>();
    const folderOf = ({ source }: SourceState) => source.folderPath ?? source.folderName ?? source.id;
    for (const state of this.sources.values())
      if (!firstSeen.has(folderOf(state))) firstSeen.set(folderOf(state), firstSeen.size);
    const keyOf = (state: SourceState): number[] => {
      const kind = kindOrder[state.source.kind];
      const isFile = kind > kindOrder.user;
      return isFile
        ? [
            kindOrder.vscode,
            state.source.folderIndex ?? Number.MAX_SAFE_INTEGER,
            firstSeen.get(folderOf(state)) ?? 0,
            kind,
          ]
        : [kind];
    };
    return [...this.sources.values()]
      .map((state) => ({ state, key: keyOf(state) }))
      .sort((a, b) => compareKeys(a.key, b.key))
      .map(({ state }) => state);
  }

  private list(ordered: readonly SourceState[]): ServerEntry[] {
    const found = withoutDuplicates(ordered.flatMap(({ servers }) => servers));
    const ids = idsOf(found);
    return found.map((read) => {
      const { server, source } = read;
      const id = server.id ?? ids.get(read) ?? server.name;
      return {
        id,
        name: server.name,
        definition: server.definition,
        source,
        position: server.position,
        get inputs() {
          return read.inputs;
        },
        isEnabled: this.overrides.get(id) ?? !server.isDisabled,
        get hash() {
          return read.hash;
        },
      };
    });
  }
}

/**
 * Removes duplicates: the two files of one folder may describe the same server. Then only the server of
 * `.vscode/mcp.json` is kept, and it is disabled if either file disables it.
 */
function withoutDuplicates(found: readonly ReadServer[]): ReadServer[] {
  const keyOf = ({ server, source }: ReadServer) => JSON.stringify([source.folderPath, server.name]);
  const ofVsCode = new Map<string, { read: ReadServer; index: number }>();
  const result: ReadServer[] = [];
  for (const read of found) {
    const { kind, folderPath } = read.source;
    const inVsCodeFile = kind === 'portable' && folderPath !== undefined ? ofVsCode.get(keyOf(read)) : undefined;
    if (inVsCodeFile && isSameServer(inVsCodeFile.read, read)) {
      if (read.server.isDisabled)
        result[inVsCodeFile.index] = {
          ...inVsCodeFile.read,
          server: { ...inVsCodeFile.read.server, isDisabled: true },
        };
      continue;
    }
    if (kind === 'vscode' && folderPath !== undefined) ofVsCode.set(keyOf(read), { read, index: result.length });
    result.push(read);
  }
  return result;
}

/**
 * Whether two entries define the same server. The fields in `extra`, such as `dev`, are ignored. A variable `${NAME}`
 * makes the servers different, because only `.mcp.json` supports that notation.
 */
function isSameServer(a: ReadServer, b: ReadServer): boolean {
  const decisive = (definition: ServerDefinition) => ({ ...definition, extra: undefined });
  return (
    isDeepStrictEqual(decisive(a.server.definition), decisive(b.server.definition)) &&
    isDeepStrictEqual(a.inputs, b.inputs) &&
    !collectVariables(b.server.definition).some(isPortableOnly)
  );
}

/**
 * Assigns the IDs. A server gets its plain name if only one source uses the name, or if its source is the only one of
 * the first kind that uses it. Otherwise, the ID is the name plus a text that distinguishes the sources. IDs are
 * assigned in a fixed order, so that neither the order of the folders nor the order of reading files matters.
 */
function idsOf(found: readonly ReadServer[]): Map<ReadServer, string> {
  const firstOwner = new Map<string, { kind: number; source: string; isAlone: boolean }>();
  for (const { server, source } of found) {
    const kind = kindOrder[source.kind];
    const owner = firstOwner.get(server.name);
    if (!owner || kind < owner.kind) firstOwner.set(server.name, { kind, source: source.id, isAlone: true });
    else if (kind === owner.kind && source.id !== owner.source) owner.isAlone = false;
  }
  const sorted = found
    .map((read, index) => ({ read, index }))
    .sort(
      (a, b) =>
        kindOrder[a.read.source.kind] - kindOrder[b.read.source.kind] ||
        compareText(a.read.source.id, b.read.source.id) ||
        a.index - b.index,
    );
  const ids = new Map<ReadServer, string>();
  const taken = new Set<string>();
  for (const { read } of sorted) {
    const { server, source } = read;
    const { name } = server;
    const owner = firstOwner.get(name);
    const candidates = [
      ...(owner?.source === source.id && owner.isAlone ? [name] : []),
      `${name} (${source.folderName ?? source.label})`,
      `${name} (${source.folderName === undefined ? '' : `${source.folderName}/`}${source.label})`,
      `${name} (${source.id})`,
    ];
    const id = candidates.find((candidate) => !taken.has(candidate)) ?? `${name} (${source.id}, ${taken.size})`;
    taken.add(id);
    ids.set(read, id);
  }
  return ids;
}

/**
 * A server with its inputs and its hash, which are computed on first use, because most servers of a long list are not
 * started.
 */
function readServer(server: ParsedServer, source: ConfigSource, all: ReadonlyMap<string, InputDefinition>): ReadServer {
  let inputs: readonly InputDefinition[] | undefined;
  let hash: string | undefined;
  return {
    server,
    source,
    get inputs() {
      return (inputs ??= inputsNamedBy(server.definition, all));
    },
    get hash() {
      return (hash ??= definitionHash(server.definition, source, {}, this.inputs));
    },
  };
}

/**
 * Compares all data except the hash, which is derived from the rest. Starts with a cheap identity check, because most
 * entries belong to sources that were not read again.
 */
function isSameEntry(a: ServerEntry, b: ServerEntry): boolean {
  const isSameReading = a.definition === b.definition && a.source === b.source && a.position === b.position;
  return (
    a.name === b.name &&
    a.isEnabled === b.isEnabled &&
    (isSameReading ||
      isDeepStrictEqual([a.definition, a.source, a.inputs, a.position], [b.definition, b.source, b.inputs, b.position]))
  );
}

/** Returns one item per entry, regardless of the number of problems. */
function listBroken(ordered: readonly SourceState[]): BrokenEntry[] {
  return ordered.flatMap(({ source, problems }) => {
    const entries = new Map<string, BrokenEntry>();
    for (const problem of problems) {
      if (problem.severity !== 'error') continue;
      const id = `${source.id}#${problem.server === undefined ? '' : `/${problem.server}`}`;
      if (!entries.has(id)) entries.set(id, { id, name: problem.server ?? source.label, source, problem });
    }
    return [...entries.values()];
  });
}

function compareKeys(a: readonly number[], b: readonly number[]): number {
  for (const [index, value] of a.entries()) {
    const difference = value - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
