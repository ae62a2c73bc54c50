import { createHash } from 'node:crypto';
import { t } from '@vscode/l10n';
import type { Disposable } from '../base/disposable.js';
import { DisposableStore, toDisposable } from '../base/disposable.js';
import type { Event } from '../base/event.js';
import { Emitter } from '../base/event.js';
import { HostError, UserError, messageOf } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import type { Log } from '../base/log.js';
import type { CallOptions, HostChange, ServerView } from '../catalog/hostTypes.js';
import type { ResourceRequest } from '../catalog/hostTypes.js';
import { sizeText } from '../../shared/amountText.js';
import type { ReadResourceResult } from '../protocol/mcp.js';
import type { ResourceFile } from './resourceFile.js';
import { resourceFile } from './resourceFile.js';
import type { ResourceServers } from './resourceFolders.js';
import type { ResourceAddress } from './resourcePath.js';

/**
 * Maximum number of resources whose size and time are remembered. If there are more, the least recently used ones are
 * dropped.
 */
const maxKnown = 1_000;
/** Maximum number of contents that `stat` or `prepare` has loaded and that are kept for the next `read`. */
const maxWaiting = 4;

/** The functions of the host that resources need. */
export interface ResourceHost {
  servers: ResourceServers & { readonly onDidChange: Event<HostChange> };
  lifecycle: { start(id: string, options: { interactive: false }): Promise<void> };
  calls: {
    readResource(request: ResourceRequest, options?: CallOptions): Promise<ReadResourceResult>;
    subscribe(request: { server: string; uri: string }, onDidUpdate: () => void): Promise<Disposable>;
  };
}

export interface ResourceFilesOptions {
  /** Maximum size of a resource that is opened, in bytes. */
  maxBytes(): number;
  log: Log;
  /** Returns epoch milliseconds; default: the system clock. */
  now?: () => number;
}

/** The metadata of a resource for a file system. Times are epoch milliseconds. */
export interface ResourceStat {
  size: number;
  mtime: number;
}

interface Known extends ResourceStat {
  digest: string;
  /** Whether the resource has changed since it was read. */
  isStale: boolean;
}

/**
 * Resources as files: reads them, remembers size and time, and reports changes while they are watched. Reading a file
 * starts its server if the server is stopped, but does not ask the user. If the start needs approval, reading fails
 * with `not-trusted`. Callers that must not start a server check its state first, as the editor's file system does.
 */
export class ResourceFiles implements Disposable {
  private readonly store = new DisposableStore();
  private readonly changed = this.store.add(new Emitter<ResourceAddress>());
  /**
   * Fired when a resource may have new content: the server reports an update, the user refreshes the resource, or the
   * server was restarted.
   */
  readonly onDidChange = this.changed.event;
  /** The known resources by key, the most recently used last. */
  private readonly known = new Map<string, Known>();
  /** Content that `stat` or `prepare` loaded, to be used by the next `read`. */
  private readonly waiting = new Map<string, Promise<ResourceFile>>();
  /** Resources whose next read must bypass the cache. */
  private readonly refreshed = new Set<string>();
  /** Reads in progress whose content is outdated, because the resource has changed since they began. */
  private readonly outdated = new WeakSet<Promise<ResourceFile>>();
  private readonly watched = new Map<string, Watch>();
  /** The time when each server was started, to detect a new instance. */
  private readonly runningSince = new Map<string, number>();

  constructor(
    private readonly host: ResourceHost,
    private readonly options: ResourceFilesOptions,
  ) {
    this.store.add(host.servers.onDidChange((change) => this.hostChanged(change)));
  }

  /**
   * Reads the resource again; the next `read` returns this content. Rejects with the error of the read, or with
   * UserError if the resource is too large.
   */
  async prepare(address: ResourceAddress, options: CallOptions = {}): Promise<ResourceFile> {
    this.drop(keyOf(address));
    return this.load(address, options);
  }

  async read(address: ResourceAddress): Promise<Uint8Array> {
    const file = await this.load(address);
    this.waiting.delete(keyOf(address));
    return file.bytes;
  }

  /** Size and time. Does not start a server. If the server is not running, returns the remembered values, or zeros. */
  async stat(address: ResourceAddress): Promise<ResourceStat> {
    const key = keyOf(address);
    const view = this.require(address.server);
    if (view.state.kind === 'running' && this.known.get(key)?.isStale !== false) await this.load(address);
    const { size = 0, mtime = 0 } = this.known.get(key) ?? {};
    return { size, mtime };
  }

  /** Subscribes to updates until disposed. The subscription is active whenever the server is running. */
  watch(address: ResourceAddress): Disposable {
    const key = keyOf(address);
    const watch = this.watched.get(key) ?? { address, count: 0 };
    watch.count++;
    this.watched.set(key, watch);
    this.subscribe(watch);
    return toDisposable(() => {
      if (--watch.count > 0) return;
      this.watched.delete(key);
      watch.subscription?.dispose();
    });
  }

  /** Discards cached content, because the user wants the current state. */
  refresh(address: ResourceAddress): void {
    this.refreshed.add(keyOf(address));
    this.noteChange(address);
  }

  private noteChange(address: ResourceAddress): void {
    const known = this.known.get(keyOf(address));
    if (known) known.isStale = true;
    this.drop(keyOf(address));
    this.changed.fire(address);
  }

  dispose(): void {
    for (const { subscription } of this.watched.values()) subscription?.dispose();
    this.watched.clear();
    this.waiting.clear();
    this.store.dispose();
  }

  private load(address: ResourceAddress, options?: CallOptions): Promise<ResourceFile> {
    const key = keyOf(address);
    const waiting = this.waiting.get(key);
    if (waiting) return waiting;
    const loading = this.fetch(address, options);
    this.waiting.set(key, loading);
    for (const oldest of this.waiting.keys()) {
      if (this.waiting.size <= maxWaiting) break;
      this.waiting.delete(oldest);
    }
    loading.then(
      ({ bytes }) => this.outdated.has(loading) || this.note(key, bytes),
      () => this.waiting.get(key) === loading && this.waiting.delete(key),
    );
    return loading;
  }

  private drop(key: string): void {
    const waiting = this.waiting.get(key);
    if (waiting) this.outdated.add(waiting);
    this.waiting.delete(key);
  }

  private async fetch(address: ResourceAddress, options?: CallOptions): Promise<ResourceFile> {
    const { server, uri } = address;
    const view = this.require(server);
    if (view.state.kind !== 'running') await this.host.lifecycle.start(server, { interactive: false });
    this.checkSize(
      address,
      this.host.servers.get(server)?.features?.resources.find((resource) => resource.uri === uri)?.size ?? 0,
    );
    const file = resourceFile(
      uri,
      await this.host.calls.readResource({ server, uri, isFresh: this.refreshed.delete(keyOf(address)) }, options),
    );
    this.checkSize(address, file.bytes.length);
    return file;
  }

  private checkSize({ server, uri }: ResourceAddress, size: number): void {
    const limitBytes = this.options.maxBytes();
    if (size <= limitBytes) return;
    throw new UserError(
      t(
        'The size of the resource {0} of "{1}" is {2}, but at most {3} can be opened in an editor. Save a copy of the resource, or increase the setting "mcpDeck.limits.maxResourceBytes".',
        visibleLine(uri, 120),
        server,
        sizeText(size),
        sizeText(limitBytes),
      ),
    );
  }

  private note(key: string, bytes: Uint8Array): void {
    const digest = createHash('sha256').update(bytes).digest('base64');
    const before = this.known.get(key);
    const now = (this.options.now ?? Date.now)();
    // An editor reloads only when size or time changes, so changed content needs a different time.
    const mtime =
      before === undefined ? now : before.digest === digest ? before.mtime : Math.max(now, before.mtime + 1);
    this.known.delete(key);
    this.known.set(key, { size: bytes.length, mtime, digest, isStale: false });
    for (const oldest of this.known.keys()) {
      if (this.known.size <= maxKnown) break;
      this.known.delete(oldest);
    }
  }

  private require(server: string): ServerView {
    const view = this.host.servers.get(server);
    if (!view)
      throw new HostError('unknown-server', `There is no server "${visibleLine(server, 80)}" here anymore.`, {
        data: { name: server, isGone: true },
      });
    return view;
  }

  /**
   * Subscribes to updates if the server is running. This is done once while the server is configured, because the host
   * renews the subscription after restarts.
   */
  private subscribe(watch: Watch): void {
    const { server, uri } = watch.address;
    if (watch.subscription || this.host.servers.get(server)?.state.kind !== 'running') return;
    watch.subscription = subscription(
      this.host.calls.subscribe({ server, uri }, () => this.noteChange(watch.address)),
      (error) =>
        this.options.log.write('debug', `Updates of ${visibleLine(uri)} are not reported: ${messageOf(error)}`),
    );
  }

  private hostChanged({ server }: HostChange): void {
    for (const view of server === undefined ? this.host.servers.list() : [this.host.servers.get(server)])
      if (view) this.serverChanged(view);
    if (server !== undefined) return;
    for (const watch of this.watched.values()) {
      if (this.host.servers.get(watch.address.server)) continue;
      // If the server is removed and added again, the host treats it as a new server.
      watch.subscription?.dispose();
      delete watch.subscription;
    }
  }

  /**
   * Subscribes to the watched resources of a server when it has started. After a restart, every resource may have
   * changed, so all cached contents are discarded.
   */
  private serverChanged({ id, state }: ServerView): void {
    if (state.kind !== 'running') return;
    const before = this.runningSince.get(id);
    if (before === state.since) return;
    this.runningSince.set(id, state.since);
    for (const watch of this.watched.values()) if (watch.address.server === id) this.subscribe(watch);
    if (before === undefined) return;
    for (const [key, known] of this.known) {
      const address = addressOf(key);
      if (address.server !== id) continue;
      known.isStale = true;
      this.drop(key);
      this.changed.fire(address);
    }
  }
}

interface Watch {
  readonly address: ResourceAddress;
  count: number;
  subscription?: Disposable;
}

/**
 * A subscription that may still be pending. If it is disposed while it is pending, it ends as soon as the server has
 * accepted it.
 */
function subscription(asked: Promise<Disposable>, onFailure: (error: unknown) => void): Disposable {
  asked.catch(onFailure);
  return toDisposable(() => {
    asked.then(
      (settled) => settled.dispose(),
      () => undefined,
    );
  });
}

function keyOf({ server, uri }: ResourceAddress): string {
  return JSON.stringify([server, uri]);
}

function addressOf(key: string): ResourceAddress {
  const [server, uri] = JSON.parse(key) as [string, string];
  return { server, uri };
}
