import type * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import type { ResultModel } from '../../../shared/result/resultModel.js';
import type { Arguments, PageTarget } from '../../../shared/toolPanel.js';
import type { ExtensionServices } from '../../ui/services.js';
import { panelTypes } from '../../manifest.js';
import type { ToolPages } from '../../ui/pages.js';
import { PanelSet } from '../../ui/panelSet.js';
import { ToolPanel } from './toolPanel.js';

/** The open tool panels of the window, one for each tool. */
export class ToolPanels implements Disposable, ToolPages {
  private readonly panels: PanelSet<ToolPanel>;

  constructor(deck: () => ExtensionServices) {
    this.panels = new PanelSet({
      type: panelTypes.tool,
      icon: 'tool',
      deck,
      make: (context, panel, target) => new ToolPanel(context, panel, target),
    });
  }

  /**
   * Opens or reveals the panel of a tool. `values` replace the content of its form. Without `values`, a new form starts
   * with the arguments of the last run.
   */
  open(target: PageTarget, values?: Arguments, result?: ResultModel): void {
    const { panel } = this.panels.open(target);
    if (values) panel.fill(values);
    if (result) panel.showResult(result);
  }

  restore(panel: vscode.WebviewPanel, state: unknown): void {
    this.panels.restore(panel, state);
  }

  dispose(): void {
    this.panels.dispose();
  }
}
