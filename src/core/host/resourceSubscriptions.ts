import type { Disposable } from '../base/disposable.js';
import { toDisposable } from '../base/disposable.js';
import { UserError } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import type { McpSession } from '../session/mcpSession.js';
import type { ServerLogWriter } from './serverLogWriter.js';

/** Maximum number of subscribed resources of one server, for all callers together. */
const maxResources = 5_000;

/**
 * The subscribers to updates of a server's resources. The subscribers survive the session: after a restart of the
 * server, the host subscribes to their resources again.
 */
export class ResourceSubscriptions {
  private readonly subscribers = new Map<string, Set<() => void>>();

  /** @param session returns the session while the server runs. */
  constructor(
    private readonly session: () => McpSession | undefined,
    private readonly logWriter: ServerLogWriter,
  ) {}

  /**
   * Calls `onDidUpdate` for updates of one resource until disposed, even after restarts. Rejects if the server refuses
   * the subscription.
   */
  async add(uri: string, onDidUpdate: () => void): Promise<Disposable> {
    const known = this.subscribers.get(uri);
    if (!known && this.subscribers.size >= maxResources)
      throw new UserError(`At most ${maxResources} resources of a server can be subscribed to at the same time.`);
    const listeners = known ?? new Set();
    listeners.add(onDidUpdate);
    if (!known) {
      this.subscribers.set(uri, listeners);
      await this.session()?.subscribe(uri);
    }
    return toDisposable(() => {
      listeners.delete(onDidUpdate);
      if (listeners.size > 0 || this.subscribers.get(uri) !== listeners) return;
      this.subscribers.delete(uri);
      // A server that is not running needs no unsubscribe request. If the server refuses the request, it only continues
      // to send updates, so the error is only logged.
      this.session()
        ?.unsubscribe(uri)
        .catch((error: unknown) => this.logWriter.write('debug', `Unsubscribing failed: ${String(error)}`));
    });
  }

  get isEmpty(): boolean {
    return this.subscribers.size === 0;
  }

  /** Passes a server's report of a changed resource to the subscribers. */
  updated(uri: string): void {
    this.session()?.forgetCached(uri);
    for (const onDidUpdate of this.subscribers.get(uri) ?? []) onDidUpdate();
  }

  /** Subscribes a new session to all resources. If the server refuses, that is logged. */
  renew(session: McpSession): void {
    for (const uri of this.subscribers.keys()) {
      session
        .subscribe(uri)
        .catch((error: unknown) =>
          this.logWriter.write('warn', `Updates of ${visibleLine(uri)} are not reported: ${String(error)}`),
        );
    }
  }
}
