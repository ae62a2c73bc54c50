import { isObject } from '../base/guards.js';
import type { Tool } from '../protocol/mcp.js';
import type { ToolDefinition } from './toolDefinition.js';
import { definitionOf, readDefinition, toolHash } from './toolDefinition.js';

/** Where the pins are kept; small enough for the workspace's state. */
export interface PinStore {
  get(key: string): unknown;
  set(key: string, value: unknown): Promise<void>;
}

export const pinsKey = 'mcpDeck.toolPins';
/** Servers whose tools are remembered; those that were used longest ago are forgotten first. */
const maxServers = 200;
/** Definitions kept to be compared with, in characters of each server; hashes are kept for all. */
const maxDefinitionLength = 256 * 1024;

interface Pin {
  hash: string;
  /** Absent where there was no room for it: the change is noticed all the same. */
  definition?: ToolDefinition;
}

/** How a tool stands to what was approved of it. */
export type PinVerdict = { kind: 'same' } | { kind: 'new' } | { kind: 'changed'; why: 'changed' | 'unhashable' | 'unreadable' | 'gone'; before?: ToolDefinition };

/**
 * Remembers each tool as it was at its first run, by the hash of its server's definition, so that a server cannot turn
 * an approved tool into another one (security requirement C6). What of the store cannot be read is set aside with its
 * content, and what it may have said is asked for again.
 */
export class ToolPins {
  private readonly servers = new Map<string, Map<string, Pin | 'unreadable'>>();
  private isLost = false;
  private writing: Promise<void> = Promise.resolve();

  /** @param report told once, when the store could not be read: the key under which its content was kept. */
  constructor(
    private readonly store: PinStore,
    report: (keptUnder: string) => void,
    now: () => number = Date.now,
  ) {
    const stored = store.get(pinsKey);
    if (stored === undefined) return;
    if (isObject(stored) && stored['version'] === 1 && isObject(stored['servers']) && Object.values(stored['servers']).every(isObject)) {
      this.isLost = stored['isLost'] === true;
      for (const [server, tools] of Object.entries(stored['servers'])) this.servers.set(server, readTools(tools as Record<string, unknown>));
      return;
    }
    const aside = `${pinsKey}.broken.${now()}`;
    this.isLost = true;
    this.writing = store.set(aside, stored);
    this.save().catch(() => undefined);
    report(aside);
  }

  /** True after a store was lost: what is not pinned may have been approved as something else. */
  get mayHaveForgotten(): boolean {
    return this.isLost;
  }

  /** @param tool as it is now; `isListed` false: the server does not list it. */
  verdict(server: string, tool: Tool, isListed = true): PinVerdict {
    let hash: string;
    const pin = this.servers.get(server)?.get(tool.name);
    const before = pin !== undefined && pin !== 'unreadable' && pin.definition ? { before: pin.definition } : {};
    try {
      hash = toolHash(tool);
    } catch {
      return { kind: 'changed', why: 'unhashable', ...before };
    }
    if (pin === undefined) return { kind: 'new' };
    if (pin === 'unreadable') return { kind: 'changed', why: 'unreadable' };
    if (!isListed) return { kind: 'changed', why: 'gone', ...before };
    return pin.hash === hash ? { kind: 'same' } : { kind: 'changed', why: 'changed', ...before };
  }

  /** The names of those tools that changed since they were approved. */
  changed(server: string, tools: readonly Tool[]): ReadonlySet<string> {
    const pins = this.servers.get(server);
    if (!pins) return none;
    const names = tools.filter((tool) => pins.has(tool.name) && this.verdict(server, tool).kind === 'changed').map(({ name }) => name);
    return names.length === 0 ? none : new Set(names);
  }

  /** From now on the tool is approved as it is. Throws RangeError when it cannot be hashed. */
  pin(server: string, tool: Tool): Promise<void> {
    const hash = toolHash(tool);
    const pins = this.servers.get(server) ?? new Map<string, Pin | 'unreadable'>();
    // Put last, as the one that was used last.
    this.servers.delete(server);
    this.servers.set(server, pins);
    const definition = definitionOf(tool);
    const used = [...pins.values()].reduce((sum, pin) => sum + (pin !== 'unreadable' && pin.definition ? JSON.stringify(pin.definition).length : 0), 0);
    pins.set(tool.name, { hash, ...(used + JSON.stringify(definition).length <= maxDefinitionLength ? { definition } : {}) });
    for (const oldest of this.servers.keys()) {
      if (this.servers.size <= maxServers) break;
      this.servers.delete(oldest);
    }
    return this.save();
  }

  /** Forgets every approval. */
  reset(): Promise<void> {
    this.servers.clear();
    this.isLost = false;
    return this.save();
  }

  private save(): Promise<void> {
    // Only once what was there is safe; a write that failed is followed by the next, which holds it all.
    this.writing = this.writing.catch(() => undefined).then(() => {
      const servers = Object.fromEntries([...this.servers].map(([server, pins]) => [server, Object.fromEntries(pins)]));
      return this.store.set(pinsKey, { version: 1, servers, ...(this.isLost ? { isLost: true } : {}) });
    });
    return this.writing;
  }
}

const none: ReadonlySet<string> = new Set();

function readTools(stored: Record<string, unknown>): Map<string, Pin | 'unreadable'> {
  return new Map(
    Object.entries(stored).map(([name, pin]): [string, Pin | 'unreadable'] => {
      if (!isObject(pin) || typeof pin['hash'] !== 'string') return [name, 'unreadable'];
      const definition = readDefinition(pin['definition']);
      return [name, { hash: pin['hash'], ...(definition ? { definition } : {}) }];
    }),
  );
}
