import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { savedTarget } from '../../../shared/toolPanel.js';
import type { DeckContext } from '../../feature.js';
import { panelTypes } from '../../manifest.js';
import { PromptPanel } from './promptPanel.js';
import type { PromptTarget } from './promptRun.js';

/** The prompts that are open: one tab for each. */
export class PromptPanels implements Disposable {
  private readonly panels = new Map<string, PromptPanel>();

  /** @param deck read when a panel opens; the deck is still being made when this is. */
  constructor(private readonly deck: () => DeckContext) {}

  /** The one that the user looks at. */
  get active(): PromptPanel | undefined {
    return [...this.panels.values()].find(({ panel }) => panel.active);
  }

  open(target: PromptTarget): void {
    const known = this.panels.get(keyOf(target));
    if (known) known.panel.reveal();
    else this.add(vscode.window.createWebviewPanel(panelTypes.prompt, target.tool, vscode.ViewColumn.Active, {}), target, false);
  }

  /** A panel that was open before the window was loaded again; `state` is what its page kept. */
  restore(panel: vscode.WebviewPanel, state: unknown): void {
    const target = savedTarget(state);
    if (target && !this.panels.has(keyOf(target))) this.add(panel, target, true);
    else panel.dispose();
  }

  dispose(): void {
    for (const panel of this.panels.values()) panel.dispose();
  }

  private add(panel: vscode.WebviewPanel, target: PromptTarget, isRestored: boolean): void {
    const deck = this.deck();
    const icon = (theme: 'light' | 'dark') => vscode.Uri.joinPath(deck.extension.extensionUri, 'media', `prompt-${theme}.svg`);
    panel.iconPath = { light: icon('light'), dark: icon('dark') };
    const key = keyOf(target);
    const opened = new PromptPanel(deck, panel, target, { isRestored });
    this.panels.set(key, opened);
    panel.onDidDispose(() => {
      this.panels.delete(key);
      opened.dispose();
    });
  }
}

function keyOf({ server, tool }: PromptTarget): string {
  return JSON.stringify([server, tool]);
}
