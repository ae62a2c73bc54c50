import * as vscode from 'vscode';
import type { Disposable } from '../../core/base/disposable.js';
import { savedTarget } from '../../shared/panel/pageTarget.js';
import type { PageTarget } from '../../shared/panel/pageTarget.js';
import type { ExtensionServices } from './services.js';
import { panelTypes } from '../manifest.js';

/** A page in an editor tab for one item of one server. */
export interface TargetPanel extends Disposable {
  readonly panel: vscode.WebviewPanel;
}

export interface PanelSetOptions<Panel extends TargetPanel> {
  /** The kind of the panel. It is also the name of the icon in `media`, which has a light and a dark file. */
  kind: 'tool' | 'prompt' | 'template';
  /** Returns the services. Called when a panel opens, because the services do not exist yet when the set is created. */
  deck: () => ExtensionServices;
  /** Creates a panel. `isRestored` is true if the panel was open before the window reloaded. */
  make: (deck: ExtensionServices, panel: vscode.WebviewPanel, target: PageTarget, isRestored: boolean) => Panel;
}

/** The open panels of one kind, one tab for each item. */
export class PanelSet<Panel extends TargetPanel> implements Disposable {
  private readonly panels = new Map<string, Panel>();

  constructor(private readonly options: PanelSetOptions<Panel>) {}

  /** The active panel. */
  get active(): Panel | undefined {
    return [...this.panels.values()].find(({ panel }) => panel.active);
  }

  /** Reveals the panel of an item, or opens a new one. */
  open(server: string, id: string): Panel {
    const { kind } = this.options;
    const target: PageTarget = { server, kind, id };
    const known = this.panels.get(keyOf(target));
    if (!known) {
      const panel = vscode.window.createWebviewPanel(panelTypes[kind], id, vscode.ViewColumn.Active, {});
      return this.add(panel, target, false);
    }
    known.panel.reveal();
    return known;
  }

  /** Restores a panel that was open before the window reloaded. `state` is the state that its page stored. */
  restore(panel: vscode.WebviewPanel, state: unknown): void {
    const target = savedTarget(state, this.options.kind);
    if (target && !this.panels.has(keyOf(target))) this.add(panel, target, true);
    else panel.dispose();
  }

  dispose(): void {
    // VS Code restores the tabs when the window reloads.
    for (const panel of this.panels.values()) panel.dispose();
  }

  private add(panel: vscode.WebviewPanel, target: PageTarget, isRestored: boolean): Panel {
    const { kind, make } = this.options;
    const deck = this.options.deck();
    const iconOf = (theme: 'light' | 'dark') =>
      vscode.Uri.joinPath(deck.extension.extensionUri, 'media', `${kind}-${theme}.svg`);
    panel.iconPath = { light: iconOf('light'), dark: iconOf('dark') };
    const key = keyOf(target);
    const opened = make(deck, panel, target, isRestored);
    this.panels.set(key, opened);
    panel.onDidDispose(() => {
      this.panels.delete(key);
      opened.dispose();
    });
    return opened;
  }
}

function keyOf({ server, id }: PageTarget): string {
  return JSON.stringify([server, id]);
}
