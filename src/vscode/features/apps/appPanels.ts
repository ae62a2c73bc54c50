import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { appUriOf } from '../../../core/apps/toolApp.js';
import type { ToldContext } from '../../../core/present/chat/appContextText.js';
import type { ExtensionServices } from '../../ui/services.js';
import { appPanelType } from '../../manifest.js';
import type { KeptRun } from '../../../core/runs/runLog.js';
import type { AppRun, AppRunEnd, ToolTarget } from '../../ui/pages.js';
import { AppPanel } from './appPanel.js';

/** The apps of the window: one tab for each tool. */
export class AppPanels implements Disposable {
  private readonly panels = new Map<string, AppPanel>();
  /** Tools whose app the user closed: it comes back when they ask for it, not with the next run. */
  private readonly closed = new Set<string>();
  /** Which server may reach which places, by the user's word in this window. */
  private readonly allowed = new Set<string>();
  private readonly told = new Map<string, ToldContext>();

  /** @param deck read when an app is shown; the deck is still being made when this is. */
  constructor(private readonly deck: () => ExtensionServices) {}

  /** A tool begins to run from its panel: its app, if it has one, shows the run beside it. */
  begin(target: ToolTarget, run: AppRun): void {
    if (this.hasApp(target) && !this.closed.has(keyOf(target))) this.open(target, run);
  }

  /** The same run ended; a server that had to be started first has said only now what its tool has. */
  end(target: ToolTarget, run: AppRun, end: AppRunEnd): void {
    const panel = this.panels.get(keyOf(target));
    if (panel) panel.end(run.id, end);
    else if ('result' in end) this.begin(target, { ...run, end });
  }

  /** The user asks for the app of a run that ended. */
  show({ id, server, tool, arguments: values, result }: KeptRun): void {
    this.closed.delete(keyOf({ server, tool }));
    this.open({ server, tool }, { id, arguments: values, end: { result } });
  }

  /** What open apps want models to know, by the user's word; the latest of each. */
  get modelContexts(): readonly ToldContext[] {
    return [...this.told.values()];
  }

  hasApp({ server, tool }: ToolTarget): boolean {
    const offered = this.deck()
      .host.servers.get(server)
      ?.offer?.tools.find(({ name }) => name === tool);
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
    // A tab in the background keeps its app: nobody else knows what the app knows.
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
        tellModel: (told) => void (told ? this.told.set(key, told) : this.told.delete(key)),
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

  /** Apps share a column beside the one that is worked in. */
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
