import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { DisposableStore } from '../../../core/base/disposable.js';
import { messageOf } from '../../../core/base/hostError.js';
import { Sequencer } from '../../../core/base/sequencer.js';
import { runInSlices } from '../../../core/base/timeSlice.js';
import type { ServerFeatures } from '../../../core/catalog/serverFeatures.js';
import type { Drift } from '../../../core/testing/checks/lock/lockDrift.js';
import { lockPath } from '../../../core/testing/checks/lock/lockModel.js';
import { lockFolderOf } from '../../ui/lockedTools.js';
import type { ExtensionServices } from '../../ui/services.js';
import type { CheckDiagnostics, CheckProblem } from './checkDiagnostics.js';

/** Maximum number of differences of one server in the Problems view. */
const maxProblems = 200;

/**
 * Compares each running server with the lock file of its folder, and shows the differences in the Problems view and in
 * the Servers view. A server is compared again when its lists or the lock file change. Nothing is compared in a folder
 * without a lock file.
 */
export class LockComparison implements Disposable {
  private readonly store = new DisposableStore();
  private readonly comparing = new Sequencer();
  /**
   * The features that were last compared, by the ID of the running server. Undefined: the lock file has changed since.
   */
  private readonly compared = new Map<string, ServerFeatures | undefined>();

  constructor(
    private readonly deck: Pick<ExtensionServices, 'host' | 'lockMarks' | 'log'>,
    private readonly diagnostics: CheckDiagnostics,
  ) {
    this.store.add(deck.host.servers.onDidChange(() => this.compareChanged()));
    const watcher = this.store.add(vscode.workspace.createFileSystemWatcher(`**/${lockPath}`));
    const again = () => {
      for (const id of this.compared.keys()) this.compared.set(id, undefined);
      this.compareChanged();
    };
    for (const event of [watcher.onDidChange, watcher.onDidCreate, watcher.onDidDelete]) this.store.add(event(again));
    this.compareChanged();
  }

  dispose(): void {
    this.store.dispose();
  }

  private compareChanged(): void {
    const running = this.deck.host.servers.list().flatMap(({ id, features }) => (features ? [{ id, features }] : []));
    const present = new Set(running.map(({ id }) => id));
    // The differences of a server that has stopped are removed. A stopped server has no lists to compare, so its
    // differences would stay even after a change of the lock file.
    for (const id of this.compared.keys()) {
      if (present.has(id)) continue;
      this.compared.delete(id);
      // Waits for the comparison in progress, which would otherwise set the marks again.
      void this.comparing.run(() => Promise.resolve(this.clear(id)));
    }
    for (const { id, features } of running) {
      if (this.compared.get(id) === features) continue;
      this.compared.set(id, features);
      void this.comparing
        .run(() => this.compare(id))
        .catch((error: unknown) => {
          this.deck.log.write('warn', `The comparison of ${id} with the lock file failed: ${messageOf(error)}`);
        });
    }
  }

  private async compare(id: string): Promise<void> {
    const { servers } = this.deck.host;
    const view = servers.get(id);
    if (!view?.features) return;
    const folder = await lockFolderOf(view);
    if (folder === undefined) return this.clear(id);
    const { driftOf, lockedServer, LockError, readLock } = await import('../../../core/testing/onDemand.js');
    let problems: readonly CheckProblem[];
    let drift: readonly Drift[] = [];
    try {
      const lock = await readLock(folder);
      const { name } = view.entry;
      const locked = Object.hasOwn(lock.servers, name) ? lock.servers[name] : undefined;
      const current = await runInSlices(lockedServer(view.features, servers.secretValues(id)));
      drift = await runInSlices(driftOf(name, locked, current));
      problems = problemsOf(drift);
    } catch (error) {
      if (!(error instanceof LockError)) throw error;
      problems = [{ severity: 'error', code: 'lock-file', message: error.message }];
    }
    this.diagnostics.set(driftGroup(id), view, problems);
    this.deck.lockMarks.set(id, drift);
  }

  private clear(id: string): void {
    this.diagnostics.delete(driftGroup(id));
    this.deck.lockMarks.set(id, []);
  }
}

function problemsOf(drift: readonly Drift[]): CheckProblem[] {
  const problems = drift.slice(0, maxProblems).map(({ message, item, name: tool }): CheckProblem => ({
    severity: 'warning',
    code: 'lock-drift',
    message: vscode.l10n.t('{0} Run "mcp-deck lock" to record the change.', message),
    tool: item === 'tool' ? tool : undefined,
  }));
  const more = drift.length - problems.length;
  if (more > 0)
    problems.push({
      severity: 'warning',
      code: 'lock-drift',
      message: vscode.l10n.t('{0} more differences from the lock file are not shown.', more),
    });
  return problems;
}

function driftGroup(server: string): string {
  return `drift ${server}`;
}
