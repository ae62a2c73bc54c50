import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { appUriOf } from '../../../core/apps/toolApp.js';
import type { AppContext } from '../../../core/present/chat/appContextText.js';
import type { ExtensionServices } from '../../ui/services.js';
import { appPanelType } from '../../manifest.js';
import type { KeptRun } from '../../../core/runs/runLog.js';
import type { AppRun, AppRunEnd, ToolTarget } from '../../ui/pages.js';
import { AppPanel } from './appPanel.js';

/** The app tabs of the window, one for each tool. */
export class AppPanels implements Disposable {
  private readonly panels = new Map<string, AppPanel>();
  /** Tools whose app the user closed. The next run does not reopen the app; the user must open it. */
  private readonly closed = new Set<string>();
  /**
   * The allowed combinations of servers and origins: the user allowed the server's apps to reach the origins in this
   * window.
   */
  private readonly allowed = new Set<string>();
  private readonly contexts = new Map<string, AppContext>();

  /**
   * @param deck Returns the services. Called when an app is shown, because the services do not exist yet when this
   * object is created.
   */
  constructor(private readonly deck: () => ExtensionServices) {}

  /**
   * Called when a tool starts to run from its panel. The app of the tool, if there is one, shows the run beside the
   * panel.
   */
  begin(target: ToolTarget, run: AppRun): void {
    if (this.hasApp(target) && !this.closed.has(keyOf(target))) this.open(target, run);
  }

  /**
   * Called when a run that `begin` received has ended. If the server had to be started for the run, the app of the tool
   * becomes known only now.
   */
  end(target: ToolTarget, run: AppRun, end: AppRunEnd): void {
    const panel = this.panels.get(keyOf(target));
    if (panel) panel.end(run.id, end);
    else if ('result' in end) this.begin(target, { ...run, end });
  }

  /** Shows the app for a completed run. */
  show({ id, server, tool, arguments: values, result }: KeptRun): void {
    this.closed.delete(keyOf({ server, tool }));
    this.open({ server, tool }, { id, arguments: values, end: { result } });
  }

  /** The latest context that each open app provides for language models, with the user's consent. */
  get modelContexts(): readonly AppContext[] {
    return [...this.contexts.values()];
  }

  hasApp({ server, tool }: ToolTarget): boolean {
    const offered = this.deck()
      .host.servers.get(server)
      ?.features?.tools.find(({ name }) => name === tool);
    return offered !== undefined && appUriOf(offered) !== undefined;
  }

  dispose(): void {
    for (const { panel } of this.panels.values()) panel.dispose();
  }

  private open(target: ToolTarget, run: AppRun): void {
    const key = keyOf(target);
    const known = this.panels.get(key);
    if (known) {
      known.show(run);
      known.panel.reveal(undefined, true);
      return;
    }
    const deck = this.deck();
    // The webview is kept while its tab is in the background, because the state of an app exists only in its webview.
    const panel = vscode.window.createWebviewPanel(
      appPanelType,
      target.tool,
      { viewColumn: this.column(), preserveFocus: true },
      { retainContextWhenHidden: true },
    );
    const icon = (theme: string) => vscode.Uri.joinPath(deck.extension.extensionUri, 'media', `tool-${theme}.svg`);
    panel.iconPath = { light: icon('light'), dark: icon('dark') };
    const allowance = (domains: readonly string[]) =>
      JSON.stringify([target.server, deck.host.servers.get(target.server)?.entry.hash, [...domains].sort()]);
    const opened = new AppPanel(
      deck,
      panel,
      {
        target,
        isAllowed: (domains) => this.allowed.has(allowance(domains)),
        allow: (domains) => void this.allowed.add(allowance(domains)),
        tellModel: (context) => void (context ? this.contexts.set(key, context) : this.contexts.delete(key)),
      },
      run,
    );
    this.panels.set(key, opened);
    panel.onDidDispose(() => {
      this.panels.delete(key);
      this.closed.add(key);
      opened.dispose();
    });
  }

  /** The editor column for a new app. All apps share one column beside the active column. */
  private column(): vscode.ViewColumn {
    const { viewColumn: active } = vscode.window.tabGroups.activeTabGroup;
    const others = [...this.panels.values()].flatMap(({ panel: { viewColumn } }) =>
      viewColumn === undefined || viewColumn === active ? [] : [viewColumn],
    );
    return others[0] ?? vscode.ViewColumn.Beside;
  }
}

function keyOf({ server, tool }: ToolTarget): string {
  return JSON.stringify([server, tool]);
}
