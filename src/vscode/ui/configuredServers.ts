import type { Disposable } from '../../core/base/disposable.js';
import { Emitter } from '../../core/base/event.js';
import type { ServersApi } from '../../core/host/hostServers.js';
import type { RuleContext } from '../../core/consent/ruleFindings.js';
import { originOf } from '../../core/registry/serverEntry.js';
import type { CalledServer } from '../../core/consent/callConsent.js';
import type { ServerView } from '../../core/catalog/hostTypes.js';

/**
 * The data by which rules and approvals identify a server. For a running server, the hash is that of the definition
 * with which it was started.
 */
export function calledServer({ id, entry, startedAs }: ServerView): CalledServer {
  return { id, hash: startedAs ?? entry.hash, origin: originOf(entry.source) };
}

/**
 * The servers that rules can apply to. Fires a change only when the list changes, not when the state of a server
 * changes.
 */
export class ConfiguredServers implements Disposable {
  private readonly changed = new Emitter<void>();
  readonly onDidChange = this.changed.event;
  private readonly listener: Disposable;
  private drawn = '';

  constructor(
    private readonly host: Pick<ServersApi, 'list' | 'onDidChange'>,
    private readonly trustedAnnotations: () => readonly string[],
  ) {
    this.listener = host.onDidChange(() => {
      const drawn = JSON.stringify([...this.current().servers]);
      if (drawn === this.drawn) return;
      this.drawn = drawn;
      this.changed.fire();
    });
  }

  current(): RuleContext {
    const servers = new Map(this.host.list().map((view) => [view.id, calledServer(view).origin]));
    return { servers, trustedAnnotations: this.trustedAnnotations() };
  }

  dispose(): void {
    this.listener.dispose();
    this.changed.dispose();
  }
}
