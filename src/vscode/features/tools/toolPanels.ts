import type * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import type { ResultModel } from '../../../shared/result/resultModel.js';
import type { Arguments } from '../../../shared/panel/formMessages.js';
import type { ExtensionServices } from '../../ui/services.js';
import type { ToolPages, ToolTarget } from '../../ui/pages.js';
import { PanelSet } from '../../ui/panelSet.js';
import { ToolPanel } from './toolPanel.js';

/** The open tool panels of the window, one for each tool. */
export class ToolPanels implements Disposable, ToolPages {
  private readonly panels: PanelSet<ToolPanel>;

  constructor(deck: () => ExtensionServices) {
    this.panels = new PanelSet({
      kind: 'tool',
      deck,
      make: (context, panel, target) => new ToolPanel(context, panel, target),
    });
  }

  /**
   * Opens or reveals the panel of a tool. `values` replace the content of its form. Without `values`, a new form starts
   * with the arguments of the last run.
   */
  open({ server, tool }: ToolTarget, values?: Arguments, result?: ResultModel): void {
    const panel = this.panels.open(server, tool);
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
