import type { Disposable } from '../base/disposable.js';
import { DisposableStore } from '../base/disposable.js';
import { Emitter } from '../base/event.js';
import type { ConfigurationSource, ConfigurationText } from '../config/configurationSource.js';
import type { ConfigSource, InputDefinition } from '../config/serverDefinition.js';

/**
 * The source of one scratch server. Scratch servers are servers that the user tries out: they exist only in this window
 * and in memory, until the user keeps them. Each is a source of its own, so an input that one of them declares is not
 * an input of the others.
 */
export function scratchSource(name: string): ConfigSource {
  return { id: `scratch/${name}`, kind: 'scratch', label: 'scratch' };
}

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
    const own = [...this.servers].map(([name, { fields, inputs }]) => ({
      source: scratchSource(name),
      value: { [name]: fields },
      inputs,
    }));
    return [...texts, ...own];
  }

  dispose(): void {
    this.store.dispose();
  }
}
