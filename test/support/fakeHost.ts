import type { Disposable } from '../../src/core/base/disposable.js';
import { toDisposable } from '../../src/core/base/disposable.js';
import { Emitter } from '../../src/core/base/event.js';
import { HostError } from '../../src/core/base/hostError.js';
import type { HostApi, HostChange, ServerView } from '../../src/core/catalog/hostApi.js';
import type { ReadResourceResult, Resource } from '../../src/core/protocol/mcp.js';
import { serverView } from './serverViews.js';

/** The part of the host that resources need, with one instance of each server at most; everything else throws. */
export class FakeHost implements Pick<
  HostApi,
  'onDidChange' | 'servers' | 'server' | 'startServer' | 'readResource' | 'subscribe'
> {
  private readonly changes = new Emitter<HostChange>();
  readonly onDidChange = this.changes.event;
  /** What was asked of servers, oldest first. */
  readonly asked: string[] = [];
  readonly contents = new Map<string, ReadResourceResult | Error>();
  readonly subscribers = new Map<string, () => void>();
  private readonly views = new Map<string, ServerView>();
  private since = 0;

  /** As other code sees it. */
  get api(): HostApi {
    return this as unknown as HostApi;
  }

  add(id: string, resources?: readonly Resource[]): void {
    this.views.set(
      id,
      resources
        ? { ...serverView(id, { offer: { resources } }), state: { kind: 'running', since: ++this.since } }
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

  servers(): readonly ServerView[] {
    return [...this.views.values()];
  }

  server(id: string): ServerView | undefined {
    return this.views.get(id);
  }

  async startServer(id: string, { interactive = true }: { interactive?: boolean } = {}): Promise<void> {
    this.asked.push(`start ${id}${interactive ? ' and ask' : ''}`);
    this.add(id, []);
  }

  async readResource({
    uri,
    isFresh,
  }: {
    server: string;
    uri: string;
    isFresh?: boolean;
  }): Promise<ReadResourceResult> {
    this.asked.push(`read ${uri}${isFresh === true ? ' fresh' : ''}`);
    const result = this.contents.get(uri) ?? new HostError('unsupported', `No ${uri}`);
    if (result instanceof Error) throw result;
    return result;
  }

  async subscribe({ uri }: { server: string; uri: string }, onDidUpdate: () => void): Promise<Disposable> {
    this.asked.push(`subscribe ${uri}`);
    this.subscribers.set(uri, onDidUpdate);
    return toDisposable(() => {
      this.asked.push(`unsubscribe ${uri}`);
      this.subscribers.delete(uri);
    });
  }
}
