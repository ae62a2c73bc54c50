import * as vscode from 'vscode';
import { argumentsSchema } from '../../../core/present/form/schemaForm.js';
import { promptModel } from '../../../core/present/result/makeResultModel.js';
import { promptView } from '../../../core/present/form/toolView.js';
import type { GetPromptResult, Prompt } from '../../../core/protocol/mcp.js';
import type { ResultRequest } from '../../../shared/result/resultRequest.js';
import type { Arguments } from '../../../shared/panel/formMessages.js';
import type { PageTarget } from '../../../shared/panel/pageTarget.js';
import { actOnMessages } from '../../ui/promptActions.js';
import type { ItemServices } from '../../ui/itemPanel.js';
import { ItemPanel } from '../../ui/itemPanel.js';
import type { PanelTab } from '../../ui/panelSet.js';
import type { PageRun } from '../../ui/pageRun.js';

/** A prompt in an editor tab. It shows the form for the arguments, and the messages with their roles. */
export class PromptPanel extends ItemPanel<Prompt, GetPromptResult> {
  /**
   * True until the page of a new tab is ready. A prompt without arguments then runs once; a restored tab does not run
   * it.
   */
  private isFresh: boolean;

  constructor(deck: ItemServices, panel: vscode.WebviewPanel, target: PageTarget, tab: PanelTab) {
    super(deck, panel, target, tab, {
      title: vscode.l10n.t('Prompt'),
      goneText: vscode.l10n.t('no longer offers this prompt'),
      reference: { type: 'ref/prompt', name: target.id },
      find: ({ prompts }) => prompts.find(({ name }) => name === target.id),
      view: (prompt) => promptView(prompt),
      schema: (prompt) => argumentsSchema(prompt.arguments ?? []),
    });
    this.isFresh = !tab.isRestored;
  }

  /** Performs the action of a button or a command on the messages. */
  actOnMessages(type: ResultRequest['type']): void {
    this.actOnResult({ type, id: this.current?.id ?? '' } as ResultRequest);
  }

  protected override actOnResult(request: ResultRequest): void {
    actOnMessages(this.deck, request, this.current);
  }

  protected override begin(): void {
    super.begin();
    if (!this.isFresh || !this.item) return;
    this.isFresh = false;
    if ((this.item.arguments ?? []).length === 0) this.start(() => this.runOf({}));
  }

  protected override runOf(values: Arguments): PageRun<GetPromptResult> {
    const { target } = this;
    const texts = Object.fromEntries(
      Object.entries(values).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
    );
    return this.request(
      (options) =>
        this.deck.host.calls.getPrompt({ server: target.server, prompt: target.id, arguments: texts }, options),
      {
        request: { method: 'prompts/get', params: { name: target.id, arguments: texts } },
        present: (result, facts) => promptModel(result, facts),
      },
    );
  }
}
