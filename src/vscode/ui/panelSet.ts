import * as vscode from 'vscode';
import { visibleLine } from '../../core/base/hostileText.js';
import type { Disposable } from '../../core/base/disposable.js';
import { savedTarget } from '../../shared/panel/pageTarget.js';
import type { PageTarget } from '../../shared/panel/pageTarget.js';
import type { ExtensionServices } from './services.js';
import { panelTypes } from '../manifest.js';

/** A page in an editor tab for one item of one server. */
export interface TargetPanel extends Disposable {
  readonly panel: vscode.WebviewPanel;
  /** Moves the focus of the page away from its buttons. */
  release?(): void;
}

/** The tab of a panel. */
export interface PanelTab {
  /** True if the panel was open before the window reloaded. */
  readonly isRestored: boolean;
  /** Sets the title. The server's name is added while another tab of the set has the same title. */
  name(title: string): void;
  /** Turns a preview into a permanent tab. Called when the user works in it. */
  keep(): void;
}

export interface PanelSetOptions<Panel extends TargetPanel> {
  /** The kind of the panel. It is also the name of the icon in `media`, which has a light and a dark file. */
  kind: 'tool' | 'prompt' | 'template';
  /** Returns the services. Called when a panel opens, because the services do not exist yet when the set is created. */
  deck: () => ExtensionServices;
  make: (deck: ExtensionServices, panel: vscode.WebviewPanel, target: PageTarget, tab: PanelTab) => Panel;
}

interface OpenTab<Panel> {
  webview: vscode.WebviewPanel;
  target: PageTarget;
  title: string;
  panel?: Panel;
  closing?: vscode.Disposable;
}

/**
 * The open panels of one kind, one tab for each item. One of them can be a preview. The next preview replaces it in its
 * tab, unless the user has worked in it.
 */
export class PanelSet<Panel extends TargetPanel> implements Disposable {
  private readonly tabs = new Map<string, OpenTab<Panel>>();
  private preview: OpenTab<Panel> | undefined;

  constructor(private readonly options: PanelSetOptions<Panel>) {}

  get active(): Panel | undefined {
    return [...this.tabs.values()].find(({ webview }) => webview.active)?.panel;
  }

  /**
   * Reveals the panel of an item, or opens a new one: in the tab of the preview if `isPreview` is true, otherwise in a
   * new tab. If a program may have called this (`isByUser` is false), a visible panel does not get the focus.
   */
  open(
    server: string,
    id: string,
    { isPreview = false, isByUser = true }: { isPreview?: boolean; isByUser?: boolean } = {},
  ): Panel {
    const { kind } = this.options;
    const target: PageTarget = { server, kind, id };
    const known = this.tabs.get(keyOf(target));
    if (known?.panel) {
      if (!isPreview) this.keep(known);
      if (!isByUser) known.panel.release?.();
      known.webview.reveal(undefined, !isByUser && known.webview.visible);
      return known.panel;
    }
    const usesPreview =
      isPreview && vscode.workspace.getConfiguration('workbench.editor').get('enablePreview') !== false;
    const reused = usesPreview ? this.takePreview() : undefined;
    const webview = reused ?? vscode.window.createWebviewPanel(panelTypes[kind], id, vscode.ViewColumn.Active, {});
    const { tab, panel } = this.add(webview, target, false);
    if (usesPreview) this.preview = tab;
    reused?.reveal();
    return panel;
  }

  /** Restores a panel that was open before the window reloaded. `state` is the state that its page stored. */
  restore(panel: vscode.WebviewPanel, state: unknown): void {
    const target = savedTarget(state, this.options.kind);
    if (target && !this.tabs.has(keyOf(target))) this.add(panel, target, true);
    else panel.dispose();
  }

  dispose(): void {
    // This does not prevent VS Code from restoring the tabs when the window reloads.
    for (const { webview } of this.tabs.values()) webview.dispose();
  }

  private add(
    webview: vscode.WebviewPanel,
    target: PageTarget,
    isRestored: boolean,
  ): { tab: OpenTab<Panel>; panel: Panel } {
    const { kind, make } = this.options;
    const deck = this.options.deck();
    const iconOf = (theme: 'light' | 'dark') =>
      vscode.Uri.joinPath(deck.extension.extensionUri, 'media', `${kind}-${theme}.svg`);
    webview.iconPath = { light: iconOf('light'), dark: iconOf('dark') };
    const tab: OpenTab<Panel> = { webview, target, title: '' };
    this.tabs.set(keyOf(target), tab);
    const panel = make(deck, webview, target, {
      isRestored,
      name: (title) => {
        tab.title = title;
        this.showTitles();
      },
      keep: () => this.keep(tab),
    });
    tab.panel = panel;
    tab.closing = webview.onDidDispose(() => this.remove(tab));
    return { tab, panel };
  }

  private keep(tab: OpenTab<Panel>): void {
    if (this.preview === tab) this.preview = undefined;
  }

  /** Removes the panel of the preview and returns its tab. */
  private takePreview(): vscode.WebviewPanel | undefined {
    const { preview } = this;
    if (!preview) return undefined;
    this.remove(preview);
    return preview.webview;
  }

  private remove(tab: OpenTab<Panel>): void {
    this.keep(tab);
    this.tabs.delete(keyOf(tab.target));
    tab.closing?.dispose();
    tab.panel?.dispose();
    this.showTitles();
  }

  private showTitles(): void {
    const all = [...this.tabs.values()];
    for (const { title, target, webview } of all) {
      const isUnique = all.filter((other) => other.title === title).length === 1;
      const shown = isUnique ? title : `${title} (${visibleLine(target.server, 40)})`;
      if (webview.title !== shown) webview.title = shown;
    }
  }
}

function keyOf({ server, id }: PageTarget): string {
  return JSON.stringify([server, id]);
}
