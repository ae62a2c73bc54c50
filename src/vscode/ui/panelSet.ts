import * as vscode from 'vscode';
import type { Disposable } from '../../core/base/disposable.js';
import type { PageTarget } from '../../shared/toolPanel.js';
import { savedTarget } from '../../shared/toolPanel.js';
import type { ExtensionServices } from './services.js';
import type { PanelType } from '../manifest.js';

/** A page in an editor tab, about one thing of one server. */
export interface TargetPanel extends Disposable {
  readonly panel: vscode.WebviewPanel;
}

export interface PanelSetOptions<Panel extends TargetPanel> {
  type: PanelType;
  /** An icon of `media` in both themes. */
  icon: 'tool' | 'prompt' | 'template';
  /** Read when a panel opens; the deck is still being made when the set is. */
  deck: () => ExtensionServices;
  /** `isRestored`: it was open before the window was loaded again. */
  make: (deck: ExtensionServices, panel: vscode.WebviewPanel, target: PageTarget, isRestored: boolean) => Panel;
}

/** The panels of one kind that are open: one tab for each thing. */
export class PanelSet<Panel extends TargetPanel> implements Disposable {
  private readonly panels = new Map<string, Panel>();

  constructor(private readonly options: PanelSetOptions<Panel>) {}

  /** The one that the user looks at. */
  get active(): Panel | undefined {
    return [...this.panels.values()].find(({ panel }) => panel.active);
  }

  /** Shows the panel of a thing, and opens it where there is none. */
  open(target: PageTarget): { panel: Panel; isNew: boolean } {
    const known = this.panels.get(keyOf(target));
    if (!known)
      return {
        panel: this.add(
          vscode.window.createWebviewPanel(this.options.type, target.tool, vscode.ViewColumn.Active, {}),
          target,
          false,
        ),
        isNew: true,
      };
    known.panel.reveal();
    return { panel: known, isNew: false };
  }

  /** A panel that was open before the window was loaded again; `state` is what its page kept. */
  restore(panel: vscode.WebviewPanel, state: unknown): void {
    const target = savedTarget(state);
    if (target && !this.panels.has(keyOf(target))) this.add(panel, target, true);
    else panel.dispose();
  }

  dispose(): void {
    // The tabs stay: a window that is loaded again brings them back.
    for (const panel of this.panels.values()) panel.dispose();
  }

  private add(panel: vscode.WebviewPanel, target: PageTarget, isRestored: boolean): Panel {
    const { icon, make } = this.options;
    const deck = this.options.deck();
    const iconOf = (theme: 'light' | 'dark') =>
      vscode.Uri.joinPath(deck.extension.extensionUri, 'media', `${icon}-${theme}.svg`);
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

function keyOf({ server, tool }: PageTarget): string {
  return JSON.stringify([server, tool]);
}
