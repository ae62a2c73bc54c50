import { setTimeout as wait } from 'node:timers/promises';
import * as vscode from 'vscode';
import { Deferred } from '../../core/base/deferred.js';
import type { Disposable } from '../../core/base/disposable.js';
import { DisposableStore } from '../../core/base/disposable.js';
import { attachConfiguration, pausesAtStart } from '../../core/debug/attachConfiguration.js';
import type { DebugClient, DebugRun, DebugTarget } from '../../core/debug/debugRun.js';
import { PauseWatch } from '../../core/debug/pauseWatch.js';

/** The configuration field that marks debug sessions of MCP Deck. */
const mark = 'mcpDeckDebug';

/** An attached debugger with its child sessions. The debugger of Node has one child session for each thread. */
interface Attached {
  run: DebugRun;
  root: vscode.DebugSession | undefined;
  paused: Set<string>;
  gone: Deferred<void>;
}

/**
 * The maximum wait, in milliseconds, for a debugger to detach before the next attempt, and the maximum number of
 * attempts.
 */
const patienceMs = 1_000;
const maxAttempts = 3;

/** Attaches VS Code's debuggers to servers and tracks their state. */
export class VsCodeDebugger implements DebugClient, Disposable {
  private readonly store = new DisposableStore();
  private readonly attached = new Map<string, Attached>();
  private next = 1;
  /** Called when a debugged server ended unexpectedly. */
  onCrash: (run: DebugRun, error: Error) => void = () => undefined;

  async attach(target: DebugTarget, run: DebugRun): Promise<void> {
    if (this.next === 1) this.watch();
    const id = String(this.next++);
    const folder = folderOf(run.cwd);
    const configuration = attachConfiguration({
      server: run.server,
      target,
      stopAtStart: run.plan.stopAtStart,
      cwd: run.cwd,
    });
    this.attached.set(id, { run, root: undefined, paused: new Set(), gone: new Deferred() });
    const isStarted = await vscode.debug
      .startDebugging(folder, { ...configuration, [mark]: id })
      .then(undefined, (error: unknown) => {
        this.attached.delete(id);
        throw error;
      });
    if (isStarted) return;
    this.attached.delete(id);
    throw new Error(vscode.l10n.t('VS Code did not start the debug session.'));
  }

  async ended(run: DebugRun, error: Error | undefined): Promise<void> {
    if (error) this.onCrash(run, error);
    const ours = [...this.attached.values()].filter((one) => one.run === run);
    await Promise.all(ours.map((one) => detach(one)));
  }

  dispose(): void {
    this.store.dispose();
  }

  /** Registers the listeners. Called when the first debugger is attached. */
  private watch(): void {
    const factory: vscode.DebugAdapterTrackerFactory = {
      createDebugAdapterTracker: (session) => this.tracker(session),
    };
    for (const type of ['pwa-node', 'debugpy'])
      this.store.add(vscode.debug.registerDebugAdapterTrackerFactory(type, factory));
    this.store.add(
      vscode.debug.onDidStartDebugSession((session) => {
        const found = this.attached.get(String(session.configuration[mark]));
        // Child sessions have the same configuration as their parent.
        if (found && !session.parentSession) found.root = session;
      }),
    );
    this.store.add(vscode.debug.onDidTerminateDebugSession((session) => this.terminated(session)));
  }

  private tracker(session: vscode.DebugSession): vscode.DebugAdapterTracker | undefined {
    const found = this.find(session);
    if (!found) return undefined;
    const watch = new PauseWatch();
    const update = () => {
      if (watch.isPaused) found.paused.add(session.id);
      else found.paused.delete(session.id);
      found.run.setPaused(this.isPaused(found.run));
    };
    return {
      onDidSendMessage: (message) => {
        watch.read(message);
        update();
        // The error is ignored. Without the pause, the program runs to its first breakpoint.
        if (!session.parentSession && pausesAtStart(found.run.plan, message))
          session.customRequest('pause', { threadId: 1 }).then(undefined, () => undefined);
      },
    };
  }

  /**
   * The attached debugger of a session, which may be a child session. Undefined for sessions that MCP Deck did not
   * start.
   */
  private find(session: vscode.DebugSession | undefined): Attached | undefined {
    for (let one = session; one; one = one.parentSession) {
      const found = this.attached.get(String(one.configuration[mark]));
      if (found) return found;
    }
    return undefined;
  }

  private isPaused(run: DebugRun): boolean {
    return [...this.attached.values()].some((one) => one.run === run && one.paused.size > 0);
  }

  private terminated(session: vscode.DebugSession): void {
    const found = this.find(session);
    if (!found) return;
    found.paused.delete(session.id);
    found.run.setPaused(this.isPaused(found.run));
    if (session.parentSession && this.find(session.parentSession)) return;
    this.attached.delete(String(session.configuration[mark]));
    found.gone.resolve();
    found.run.sessionEnded();
  }
}

/**
 * Resolves when the debugger has detached, or after the last attempt. A debugger that is still attaching to a process
 * that ends may ignore the first request.
 */
async function detach(one: Attached): Promise<void> {
  for (let attempt = 0; attempt < maxAttempts && !one.gone.isSettled; attempt++) {
    // The error is ignored. If the session was not stopped, the loop tries again.
    if (one.root) vscode.debug.stopDebugging(one.root).then(undefined, () => undefined);
    await Promise.race([one.gone.promise, wait(patienceMs, undefined, { ref: false })]);
  }
}

/** The open folder that contains the working directory of the server. If there is none, the first folder. */
function folderOf(cwd: string | undefined): vscode.WorkspaceFolder | undefined {
  const own = cwd === undefined ? undefined : vscode.workspace.getWorkspaceFolder(vscode.Uri.file(cwd));
  return own ?? vscode.workspace.workspaceFolders?.[0];
}
