import { isObject } from '../base/guards.js';
import type { Event } from '../base/event.js';
import { Emitter } from '../base/event.js';
import type { StateStore } from '../base/stores.js';

/** A resource that the user pinned; its server may be stopped or removed. */
export interface PinnedResource {
  server: string;
  uri: string;
  /** The server's name for the resource when it was pinned. */
  name: string;
}

const key = 'mcpDeck.pinnedResources';
const maxPins = 100;

/** The pinned resources of this workspace, in the order in which they were pinned. */
export class ResourcePins {
  private readonly changed = new Emitter<void>();
  readonly onDidChange: Event<void> = this.changed.event;
  private pins: readonly PinnedResource[] | undefined;

  constructor(private readonly store: StateStore) {}

  list(): readonly PinnedResource[] {
    this.pins ??= read(this.store.get(key));
    return this.pins;
  }

  has(server: string, uri: string): boolean {
    return this.list().some((pin) => isSame(pin, { server, uri }));
  }

  /** Pins a resource. One that is already pinned keeps its position. */
  async pin(resource: PinnedResource): Promise<void> {
    if (!this.has(resource.server, resource.uri)) await this.set([...this.list(), resource].slice(-maxPins));
  }

  async unpin(resource: Pick<PinnedResource, 'server' | 'uri'>): Promise<void> {
    await this.set(this.list().filter((pin) => !isSame(pin, resource)));
  }

  private async set(pins: readonly PinnedResource[]): Promise<void> {
    this.pins = pins;
    this.changed.fire();
    await this.store.set(key, pins);
  }
}

function isSame(a: Pick<PinnedResource, 'server' | 'uri'>, b: Pick<PinnedResource, 'server' | 'uri'>): boolean {
  return a.server === b.server && a.uri === b.uri;
}

function read(stored: unknown): PinnedResource[] {
  if (!Array.isArray(stored)) return [];
  return stored.flatMap((pin: unknown) =>
    isObject(pin) &&
    typeof pin['server'] === 'string' &&
    typeof pin['uri'] === 'string' &&
    typeof pin['name'] === 'string'
      ? [{ server: pin['server'], uri: pin['uri'], name: pin['name'] }]
      : [],
  );
}
