/**
 * The public names of the tools and prompts of all servers behind the gateway. A unique name is unchanged if every host
 * accepts it. If two servers use the same name, the public name is prefixed with the name of the server. A public name
 * never changes its meaning: it belongs to the same item of the same server, even after a restart.
 */
import { createHash } from 'node:crypto';

/** Maximum length of a name, in characters: VS Code adds up to 18 characters and truncates the result to 64. */
export const maxNameLength = 46;

/** Maximum number of stored names that are read. */
const maxStored = 20_000;
/**
 * Maximum length of an item's own name that is stored, in UTF-16 code units. A longer one is named anew after a
 * restart.
 */
const maxStoredName = 1_000;

/**
 * Maximum number of names of one server that are remembered although it no longer lists them. Each server has its own
 * limit, so that a server with many names does not release the names of other servers.
 */
const maxFormer = 2_000;
/** Maximum length of these names together, in UTF-16 code units. */
const maxFormerLength = 512 * 1024;

/** A tool or prompt of a server. */
export interface NamedItem {
  server: string;
  /** The name that the server uses. */
  name: string;
  /** The name that the user chose for the tool; default: the server's name for it. */
  alias?: string;
}

/** A pair of server and original name, with its public name. */
type Stored = readonly [server: string, name: string, publicName: string, alias?: string];

export class PublicNames {
  private readonly byItem = new Map<string, string>();
  private readonly byName = new Map<string, NamedItem>();

  /**
   * @param stored the value of `toJson` of an earlier run; unusable entries are ignored.
   * @param reserved names that are given to no item.
   */
  constructor(
    stored?: unknown,
    private readonly reserved: readonly string[] = [],
  ) {
    if (!Array.isArray(stored)) return;
    for (const entry of stored.slice(-maxStored) as unknown[]) {
      if (!Array.isArray(entry) || !entry.every((part) => typeof part === 'string')) continue;
      const [server, name, publicName, alias] = entry as [string, string, string, string?];
      if (isUsable(publicName) && this.isFree(publicName))
        this.assign({ server, name, ...(alias === undefined ? {} : { alias }) }, publicName);
    }
  }

  /** The names to be stored, oldest first. */
  toJson(): Stored[] {
    return [...this.byName]
      .filter(([, { name }]) => name.length <= maxStoredName)
      .map(([publicName, { server, name, alias }]) =>
        alias === undefined ? [server, name, publicName] : [server, name, publicName, alias],
      );
  }

  /** The item with a public name. */
  find(publicName: string): NamedItem | undefined {
    return this.byName.get(publicName);
  }

  /** The public name of an item that has one. */
  nameOf(item: NamedItem): string | undefined {
    return this.byItem.get(keyOf(item));
  }

  /**
   * Gives names to items that have none, in steps. If several new items share a name, each gets the name of its server
   * as a prefix. A name that the user chose does not change the names of other items.
   * @param items all current items. They keep their names; of the others, the oldest ones are forgotten.
   * @returns whether a name was added.
   */
  *adding(items: Iterable<NamedItem>): Generator<void, boolean> {
    const current = new Map<string, NamedItem>();
    const [plain, renamed]: [NamedItem[], NamedItem[]] = [[], []];
    for (const item of items) {
      const key = keyOf(item);
      if (!this.byItem.has(key) && !current.has(key)) (item.alias === undefined ? plain : renamed).push(item);
      current.set(key, item);
      yield;
    }
    const fresh = [...plain, ...renamed];
    if (fresh.length === 0) return false;
    const counts = new Map<string, number>();
    for (const { name } of plain) {
      const bare = usableName(name);
      counts.set(bare, (counts.get(bare) ?? 0) + 1);
      yield;
    }
    for (const item of fresh) {
      yield;
      if (this.nameOf(item) !== undefined) continue;
      const bare = usableName(item.alias ?? item.name);
      this.assign(item, (counts.get(bare) ?? 1) === 1 && this.isFree(bare) ? bare : this.freeName(item, bare));
    }
    this.forgetFormer(current);
    return true;
  }

  private isFree(name: string): boolean {
    return !this.byName.has(name) && !this.reserved.includes(name);
  }

  private freeName(item: NamedItem, bare: string): string {
    const prefixed = usableName(`${usableName(item.server).slice(0, 16)}_${bare}`);
    if (this.isFree(prefixed)) return prefixed;
    for (let attempt = 0; ; attempt++) {
      const candidate = withDigest(prefixed, `${keyOf(item)}\0${attempt}`);
      if (this.isFree(candidate)) return candidate;
    }
  }

  /** Keeps only the names of an item, because callers pass whole tools. */
  private assign({ server, name, alias }: NamedItem, publicName: string): void {
    const item = { server, name, ...(alias === undefined ? {} : { alias }) };
    this.byItem.set(keyOf(item), publicName);
    this.byName.set(publicName, item);
  }

  private forgetFormer(current: ReadonlyMap<string, NamedItem>): void {
    const former = new Map<string, string[]>();
    for (const [publicName, item] of this.byName) {
      if (current.has(keyOf(item))) continue;
      const ofServer = former.get(item.server) ?? [];
      ofServer.push(publicName);
      former.set(item.server, ofServer);
    }
    for (const names of former.values()) {
      let length = 0;
      for (const [index, publicName] of names.reverse().entries()) {
        const item = this.byName.get(publicName);
        length += item?.name.length ?? 0;
        if (index < maxFormer && length <= maxFormerLength) continue;
        if (item) this.byItem.delete(keyOf(item));
        this.byName.delete(publicName);
      }
    }
  }
}

/** The name with the characters and the length that every host accepts. A name that is cut ends with a digest. */
function usableName(name: string): string {
  const plain = name.replace(/[^a-zA-Z0-9_-]/g, '_') || '_';
  if (plain === name && name.length <= maxNameLength) return name;
  if (plain.length <= maxNameLength - 9 && plain.length > 0) return plain;
  return withDigest(plain, name);
}

/** The beginning of a name, followed by a digest of `text`, which makes the name unique. */
function withDigest(beginning: string, text: string): string {
  // In UTF-8, all unpaired surrogates would be the same character, so different names could have the same digest.
  const digest = createHash('sha256').update(text, 'utf16le').digest('hex').slice(0, 8);
  return `${beginning.slice(0, maxNameLength - 9)}_${digest}`;
}

function isUsable(name: string): boolean {
  return name.length <= maxNameLength && /^[a-zA-Z0-9_-]+$/.test(name);
}

function keyOf({ server, name, alias }: NamedItem): string {
  return alias === undefined ? `${server}\0${name}` : `${server}\0${name}\0${alias}`;
}
