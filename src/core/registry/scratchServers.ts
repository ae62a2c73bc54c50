import type { Disposable } from '../base/disposable.js';
import { DisposableStore } from '../base/disposable.js';
import { Emitter } from '../base/event.js';
import type { ConfigurationSource, ConfigurationText } from '../config/configurationSource.js';
import type { ConfigSource, InputDefinition } from '../config/serverDefinition.js';

/**
 * Scratch servers, which the user tries out: they exist only in this window and in memory, until the user keeps them.
 */
export const scratchSource: ConfigSource = { id: 'scratch', kind: 'scratch', label: 'scratch' };

/** A definition that is in no file and no setting. */
export interface ScratchServer {
  fields: Readonly<Record<string, unknown>>;
  inputs: readonly InputDefinition[];
}

/** Adds the scratch servers to the servers of another configuration. */
export class ScratchServers implements ConfigurationSource, Disposable {
  private readonly store = new DisposableStore();
  private readonly changed = this.store.add(new Emitter<void>());
  readonly onDidChange = this.changed.event;
  private readonly servers = new Map<string, ScratchServer>();

  constructor(private readonly configured: ConfigurationSource) {
    this.store.add(configured.onDidChange(() => this.changed.fire()));
  }

  get names(): ReadonlySet<string> {
    return new Set(this.servers.keys());
  }

  get(name: string): ScratchServer | undefined {
    return this.servers.get(name);
  }

  /** Adds a server or replaces the one with the same name. Starts nothing. */
  set(name: string, server: ScratchServer): void {
    this.servers.set(name, server);
    this.changed.fire();
  }

  /** Removes a server, which is then stopped. Does nothing for an unknown name. */
  remove(name: string): void {
    if (this.servers.delete(name)) this.changed.fire();
  }

  async read(): Promise<ConfigurationText[]> {
    const texts = await this.configured.read();
    const all = [...this.servers];
    if (all.length === 0) return texts;
    const value = Object.fromEntries(all.map(([name, { fields }]) => [name, fields]));
    const inputs = new Map(all.flatMap(([, server]) => server.inputs.map((input) => [input.id, input] as const)));
    return [...texts, { source: scratchSource, value, inputs: [...inputs.values()] }];
  }

  dispose(): void {
    this.store.dispose();
  }
}
