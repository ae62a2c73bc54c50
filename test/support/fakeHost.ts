import type { Disposable } from '../../src/core/base/disposable.js';
import { toDisposable } from '../../src/core/base/disposable.js';
import { Emitter } from '../../src/core/base/event.js';
import { HostError } from '../../src/core/base/hostError.js';
import type { HostChange, ResourceRequest, ServerView } from '../../src/core/catalog/hostTypes.js';
import type { ReadResourceResult, Resource } from '../../src/core/protocol/mcp.js';
import type { ResourceHost } from '../../src/core/resources/resourceFiles.js';
import { serverView } from './serverViews.js';

/** The parts of the host that resources need, with at most one instance of each server. */
export class FakeHost implements ResourceHost {
  private readonly changes = new Emitter<HostChange>();
  /** Requests to servers, oldest first. */
  readonly asked: string[] = [];
  readonly contents = new Map<string, ReadResourceResult | Error>();
  readonly subscribers = new Map<string, () => void>();
  private readonly views = new Map<string, ServerView>();
  private since = 0;

  readonly servers = {
    onDidChange: this.changes.event,
    list: () => [...this.views.values()],
    get: (id: string) => this.views.get(id),
  };
  readonly lifecycle = {
    start: (id: string) => {
      this.asked.push(`start ${id}`);
      this.add(id, []);
      return Promise.resolve();
    },
  };
  readonly calls = {
    readResource: (request: ResourceRequest) => this.read(request),
    subscribe: ({ uri }: { uri: string }, onDidUpdate: () => void) => Promise.resolve(this.subscribe(uri, onDidUpdate)),
  };

  add(id: string, resources?: readonly Resource[]): void {
    this.views.set(
      id,
      resources
        ? { ...serverView(id, { features: { resources } }), state: { kind: 'running', since: ++this.since } }
        : serverView(id),
    );
    this.changes.fire({ server: id });
  }

  remove(id: string): void {
    this.views.delete(id);
    this.changes.fire({});
  }

  update(uri: string): void {
    this.subscribers.get(uri)?.();
  }

  private async read({ uri, isFresh }: ResourceRequest): Promise<ReadResourceResult> {
    this.asked.push(`read ${uri}${isFresh === true ? ' fresh' : ''}`);
    const result = this.contents.get(uri) ?? new HostError('unsupported', `No ${uri}`);
    if (result instanceof Error) throw result;
    return result;
  }

  private subscribe(uri: string, onDidUpdate: () => void): Disposable {
    this.asked.push(`subscribe ${uri}`);
    this.subscribers.set(uri, onDidUpdate);
    return toDisposable(() => {
      this.asked.push(`unsubscribe ${uri}`);
      this.subscribers.delete(uri);
    });
  }
}
