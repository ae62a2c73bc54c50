import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import type { ResultModel } from '../../../shared/result/resultModel.js';
import { savedTarget } from '../../../shared/toolPanel.js';
import type { Arguments } from '../../../shared/toolPanel.js';
import type { DeckContext } from '../../feature.js';
import { panelTypes } from '../../manifest.js';
import type { ToolPages, ToolTarget } from '../../pages.js';
import { ToolPanel } from './toolPanel.js';

/** The tool panels of the window: one for each tool that is open. */
export class ToolPanels implements Disposable, ToolPages {
  private readonly panels = new Map<string, ToolPanel>();

  /** @param deck read when a panel opens; the deck is still being made when this is. */
  constructor(private readonly deck: () => DeckContext) {}

  /** Shows the panel of a tool. `values` replace what stands in its form; without them it starts with those of the last run. */
  open(target: ToolTarget, values?: Arguments, result?: ResultModel): void {
    const known = this.panels.get(keyOf(target));
    if (known) {
      known.panel.reveal();
      if (values) known.fill(values);
      if (result) known.showResult(result);
      return;
    }
    const panel = vscode.window.createWebviewPanel(panelTypes.tool, target.tool, vscode.ViewColumn.Active, {});
    const opened = this.add(panel, target, values);
    if (result) opened.showResult(result);
  }

  /** A panel that was open before the window was loaded again; `state` is what its page kept. */
  restore(panel: vscode.WebviewPanel, state: unknown): void {
    const target = savedTarget(state);
    if (!target || this.panels.has(keyOf(target))) {
      panel.dispose();
      return;
    }
    this.add(panel, target);
  }

  dispose(): void {
    // The tabs stay: a window that is loaded again brings them back.
    for (const panel of this.panels.values()) panel.dispose();
  }

  private add(panel: vscode.WebviewPanel, target: ToolTarget, values?: Arguments): ToolPanel {
    const deck = this.deck();
    panel.iconPath = { light: icon(deck, 'light'), dark: icon(deck, 'dark') };
    const opened = new ToolPanel(deck, panel, target, values);
    const key = keyOf(target);
    this.panels.set(key, opened);
    panel.onDidDispose(() => {
      this.panels.delete(key);
      opened.dispose();
    });
    return opened;
  }
}

function icon(deck: DeckContext, theme: 'light' | 'dark'): vscode.Uri {
  return vscode.Uri.joinPath(deck.extension.extensionUri, 'media', `tool-${theme}.svg`);
}

function keyOf({ server, tool }: ToolTarget): string {
  return JSON.stringify([server, tool]);
}
