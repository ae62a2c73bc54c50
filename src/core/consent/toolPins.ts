import { isObject, isStringArray } from '../base/guards.js';
import { memoryState } from '../base/stores.js';
import type { Tool } from '../protocol/mcp.js';
import type { ToolDefinition } from './toolDefinition.js';
import { definitionOf, readDefinition, toolHash } from './toolDefinition.js';
import type { CallFacts } from './ruleSet.js';

/** The storage of the pins: the state of the workspace or of all workspaces. The limits below keep the pins small. */
export interface PinStore {
  get(key: string): unknown;
  set(key: string, value: unknown): Promise<void>;
}

export const pinsKey = 'mcpDeck.toolPins';
/**
 * Maximum number of servers whose tools are remembered; if there are more, the servers whose last approval is the
 * oldest are dropped, and their tools need approval again.
 */
const maxServers = 200;
/** Maximum number of servers remembered as dropped; if there are more, every server needs approval again. */
const maxForgotten = 2_000;
/** Maximum size of the definitions that are kept per server for comparison, in characters. Hashes are always kept. */
const maxDefinitionLength = 256 * 1024;

interface Pin {
  hash: string;
  /** The approved definition. Absent if there was no room for it; a change is still detected by the hash. */
  definition?: ToolDefinition;
}

/** Marks a pin that could not be read. */
const unreadable = 'unreadable';

interface StoredPins {
  version: 1;
  /** The pins, by the hash of the server's definition and the name of the tool. */
  servers: Readonly<Record<string, Readonly<Record<string, Pin | typeof unreadable>>>>;
  /** Hashes of servers whose pins were dropped to save space. */
  forgotten?: readonly string[];
  /** Whether the record of the servers was lost, so that it is unknown which servers it contained. */
  isLost?: boolean;
}

/** How a tool compares with its approved definition. */
export type PinVerdict =
  | { kind: 'same' }
  | { kind: 'new' }
  | { kind: 'changed'; why: 'changed' | 'unhashable' | 'unreadable' | 'gone'; before?: ToolDefinition };

/**
 * Stores the definition of each tool when it first runs, under the hash of its server's definition. This prevents a
 * server from replacing an approved tool by a different one (security requirement C6). Lost or dropped approvals are
 * requested again.
 */
export class ToolPins {
  private servers = new Map<string, Map<string, Pin | typeof unreadable>>();
  private forgotten = new Set<string>();
  private isLost = false;
  /** The value that was last read; compared by identity. */
  private last: unknown;
  private writing: Promise<void> = Promise.resolve();

  constructor(private readonly store: PinStore) {
    this.read();
  }

  /** Whether a tool of the server without a pin may have been approved earlier with another definition. */
  mayHaveForgotten(server: string): boolean {
    this.read();
    return this.isLost || this.forgotten.has(server);
  }

  /**
   * Compares a tool with its approved definition.
   * @param tool the current definition.
   * @param isListed false if the server does not list the tool.
   */
  verdict(server: string, tool: Tool, isListed = true): PinVerdict {
    this.read();
    let hash: string;
    const pin = this.servers.get(server)?.get(tool.name);
    const before = pin !== undefined && pin !== unreadable && pin.definition ? { before: pin.definition } : {};
    try {
      hash = toolHash(tool);
    } catch {
      return { kind: 'changed', why: 'unhashable', ...before };
    }
    if (pin === undefined) return { kind: 'new' };
    if (pin === unreadable) return { kind: 'changed', why: 'unreadable' };
    if (!isListed) return { kind: 'changed', why: 'gone', ...before };
    return pin.hash === hash ? { kind: 'same' } : { kind: 'changed', why: 'changed', ...before };
  }

  /** The names of the tools that have changed since they were approved. */
  changed(server: string, tools: readonly Tool[]): ReadonlySet<string> {
    this.read();
    const pins = this.servers.get(server);
    if (!pins) return noNames;
    const names = tools
      .filter((tool) => pins.has(tool.name) && this.verdict(server, tool).kind === 'changed')
      .map(({ name }) => name);
    return names.length === 0 ? noNames : new Set(names);
  }

  /** Approves the current definition of the tool. Throws RangeError if it cannot be hashed. */
  pin(server: string, tool: Tool): Promise<void> {
    const hash = toolHash(tool);
    return this.change(() => this.add(server, tool, hash));
  }

  /** Deletes every approval. */
  reset(): Promise<void> {
    return this.change(() => {
      this.servers.clear();
      this.forgotten.clear();
      this.isLost = false;
    });
  }

  /** The same pins in memory. Later changes of either one do not affect the other. */
  copy(): ToolPins {
    const memory = memoryState();
    void memory.set(pinsKey, this.store.get(pinsKey));
    return new ToolPins(memory);
  }

  private add(server: string, tool: Tool, hash: string): void {
    const pins = this.servers.get(server) ?? new Map<string, Pin | typeof unreadable>();
    // The server is moved to the end, because its approval is the latest.
    this.servers.delete(server);
    this.servers.set(server, pins);
    const definition = definitionOf(tool);
    const used = [...pins.values()].reduce(
      (sum, pin) => sum + (pin !== unreadable && pin.definition ? JSON.stringify(pin.definition).length : 0),
      0,
    );
    pins.set(tool.name, {
      hash,
      ...(used + JSON.stringify(definition).length <= maxDefinitionLength ? { definition } : {}),
    });
    for (const oldest of this.servers.keys()) {
      if (this.servers.size <= maxServers) break;
      this.servers.delete(oldest);
      this.forgotten.add(oldest);
    }
    if (this.forgotten.size > maxForgotten) {
      this.forgotten.clear();
      this.isLost = true;
    }
  }

  /** Reads the stored value if another window has changed it. Returns whether the value was read. */
  private read(): boolean {
    const stored = this.store.get(pinsKey);
    if (stored === this.last) return false;
    this.last = stored;
    const {
      servers,
      forgotten = [],
      isLost = false,
    } = stored === undefined ? none : arePins(stored) ? stored : safePins(stored);
    this.servers = new Map(
      Object.entries(servers).map(([server, tools]) => [
        server,
        new Map(Object.entries(tools).map(([name, pin]) => [name, pin === unreadable ? pin : readPin(pin)])),
      ]),
    );
    this.forgotten = new Set(forgotten);
    this.isLost = isLost;
    return true;
  }

  /**
   * Changes the pins and stores them.
   * @param edit makes the change. It runs again if another window wrote in the meantime, so that neither change is
   * lost.
   */
  private change(edit: () => void): Promise<void> {
    this.read();
    edit();
    // Writes run in sequence. If one fails, the next one includes its changes.
    this.writing = this.writing
      .catch(() => undefined)
      .then(() => {
        if (this.read()) edit();
        const servers = Object.fromEntries(
          [...this.servers].map(([server, pins]) => [server, Object.fromEntries(pins)]),
        );
        const stored: StoredPins = {
          version: 1,
          servers,
          ...(this.forgotten.size > 0 ? { forgotten: [...this.forgotten] } : {}),
          ...(this.isLost ? { isLost: true } : {}),
        };
        this.last = stored;
        return this.store.set(pinsKey, stored);
      });
    return this.writing;
  }
}

const noNames: ReadonlySet<string> = new Set();
const none: StoredPins = { version: 1, servers: {} };

/** Whether a stored value is a valid record of pins. */
export function arePins(value: unknown): value is StoredPins {
  return (
    isSound(value) &&
    Object.values(value.servers).every((tools) => Object.values(tools).every((pin) => pin === unreadable || isPin(pin)))
  );
}

/**
 * The replacement of an unreadable record. If only single pins are damaged, their tools stay in quarantine. If more is
 * damaged, every tool needs approval again.
 */
export function safePins(value: unknown): StoredPins {
  if (!isSound(value)) return { version: 1, servers: {}, isLost: true };
  const safe = (tools: Record<string, unknown>): StoredPins['servers'][string] =>
    Object.fromEntries(Object.entries(tools).map(([name, pin]) => [name, isPin(pin) ? pin : unreadable]));
  return {
    ...value,
    servers: Object.fromEntries(Object.entries(value.servers).map(([server, tools]) => [server, safe(tools)])),
  };
}

/** Whether the record is valid, apart from the content of single pins. */
function isSound(
  value: unknown,
): value is Omit<StoredPins, 'servers'> & { servers: Record<string, Record<string, unknown>> } {
  if (
    !isObject(value) ||
    value['version'] !== 1 ||
    !isObject(value['servers']) ||
    !Object.values(value['servers']).every(isObject)
  )
    return false;
  const { forgotten, isLost } = value as { forgotten?: unknown; isLost?: unknown };
  return (forgotten === undefined || isStringArray(forgotten)) && (isLost === undefined || typeof isLost === 'boolean');
}

function isPin(value: unknown): value is Pin {
  return isObject(value) && typeof value['hash'] === 'string';
}

/** Reads a pin. An unreadable definition is left out, because the hash alone detects a change. */
function readPin({ hash, definition: stored }: Pin): Pin {
  const definition = readDefinition(stored);
  return { hash, ...(definition ? { definition } : {}) };
}

/** The pins, stored by the scope of their servers: all workspaces share the pins of servers from the user settings. */
export class ScopedPins {
  constructor(
    private readonly workspace: ToolPins,
    private readonly user: ToolPins,
  ) {}

  of({ origin }: { origin: CallFacts['origin'] }): ToolPins {
    return origin === 'user' ? this.user : this.workspace;
  }

  /** Pins that are kept in memory only. */
  static inMemory(): ScopedPins {
    return new ScopedPins(new ToolPins(memoryState()), new ToolPins(memoryState()));
  }

  /** The same pins in memory, for a run that must not change the stored ones. */
  copy(): ScopedPins {
    return new ScopedPins(this.workspace.copy(), this.user.copy());
  }

  /** Deletes every approval, in this workspace and for servers from the user settings. */
  async reset(): Promise<void> {
    await this.workspace.reset();
    await this.user.reset();
  }
}
