import type { Disposable } from '../../core/base/disposable.js';
import { Emitter } from '../../core/base/event.js';
import type { LockDifferences } from '../../core/present/tree/featureNodes.js';
import type { Drift } from '../../core/testing/checks/lock/lockDrift.js';

/** How servers differ from the lock file, for the Servers view. The checks set the marks. */
export class LockMarks implements Disposable {
  private readonly marks = new Map<string, LockDifferences>();
  private readonly changed = new Emitter<{ server: string }>();
  /** Fires with the ID of the server whose differences have changed. */
  readonly onDidChange = this.changed.event;

  of(server: string): LockDifferences | undefined {
    return this.marks.get(server);
  }

  /** Replaces the differences of a server. An empty list removes its marks. */
  set(server: string, drift: readonly Drift[]): void {
    if (drift.length === 0 && !this.marks.has(server)) return;
    if (drift.length === 0) this.marks.delete(server);
    else {
      const tools = drift.flatMap(({ item, kind, name }) =>
        item === 'tool' && kind !== 'removed' ? [[name, kind] as const] : [],
      );
      this.marks.set(server, { count: drift.length, tools: new Map(tools) });
    }
    this.changed.fire({ server });
  }

  dispose(): void {
    this.changed.dispose();
  }
}
