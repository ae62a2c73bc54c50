import type * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import type { ExtensionServices } from '../../ui/services.js';
import type { OpenTool, ToolPages, ToolTarget } from '../../ui/pages.js';
import { PanelSet } from '../../ui/panelSet.js';
import { ToolPanel } from './toolPanel.js';

/** The open tool panels of the window, one for each tool. */
export class ToolPanels implements Disposable, ToolPages {
  private readonly panels: PanelSet<ToolPanel>;

  constructor(deck: () => ExtensionServices) {
    this.panels = new PanelSet({
      kind: 'tool',
      deck,
      make: (context, panel, target, tab) => new ToolPanel(context, panel, target, tab),
    });
  }

  open({ server, tool }: ToolTarget, { values, run, isPreview = false, isByUser = false }: OpenTool = {}): void {
    const panel = this.panels.open(server, tool, { isPreview, isByUser });
    panel.isByUser = isByUser;
    if (values) panel.fill(values);
    if (run) panel.showRun(run);
  }

  restore(panel: vscode.WebviewPanel, state: unknown): void {
    this.panels.restore(panel, state);
  }

  dispose(): void {
    this.panels.dispose();
  }
}
