import * as vscode from 'vscode';
import { UserError } from '../../../core/base/hostError.js';
import type { CallOptions } from '../../../core/catalog/hostTypes.js';
import { addressView, templateAddress, templateSchema, templateView } from '../../../core/present/form/templateView.js';
import type { ResourceTemplate } from '../../../core/protocol/mcp.js';
import type { ResultRequest } from '../../../shared/result/resultRequest.js';
import type { Arguments } from '../../../shared/panel/formMessages.js';
import type { PageTarget } from '../../../shared/panel/pageTarget.js';
import type { FromItemPage, ToItemPage } from '../../../shared/panel/itemPage.js';
import type { FromTemplatePage, ResourceUse } from '../../../shared/panel/templatePage.js';
import { templatePageGuards } from '../../../shared/panel/templatePage.js';
import { userChoice } from '../../ui/invocation.js';
import { commandIds } from '../../manifest.js';
import { readFile, showResource } from '../../ui/showResource.js';
import { actOnRaw } from '../../ui/resultActions.js';
import type { ItemServices } from '../../ui/itemPanel.js';
import { ItemPanel } from '../../ui/itemPanel.js';
import type { PageOptions } from '../../ui/page.js';
import { Page } from '../../ui/page.js';
import type { PanelTab } from '../../ui/panelSet.js';
import type { PageRun } from '../../ui/pageRun.js';

/** Actions that run in the same way as commands of the Command Palette. */
const commandOf = {
  save: commandIds.saveResource,
  compare: commandIds.compareResource,
  copyUri: commandIds.copyResourceUri,
  pin: commandIds.pinResource,
} as const;

/**
 * A resource template in an editor tab: the form of its variables, the resulting URI, and actions for the resource.
 */
export class TemplatePanel extends ItemPanel<ResourceTemplate, vscode.Uri> {
  constructor(deck: ItemServices, panel: vscode.WebviewPanel, target: PageTarget, tab: PanelTab) {
    super(deck, panel, target, tab, {
      title: vscode.l10n.t('Resource Template'),
      goneText: vscode.l10n.t('no longer offers this template'),
      reference: { type: 'ref/resource', uri: target.id },
      find: ({ resourceTemplates }) => resourceTemplates.find(({ uriTemplate }) => uriTemplate === target.id),
      view: (template) => templateView(template),
      schema: ({ uriTemplate }) => templateSchema(uriTemplate),
    });
  }

  protected override openPage({ handlers, ...options }: PageOptions<FromItemPage>): Page<ToItemPage, FromTemplatePage> {
    return new Page<ToItemPage, FromTemplatePage>({
      ...options,
      guards: templatePageGuards,
      handlers: {
        notices: { ...handlers.notices, use: ({ use, arguments: values }) => this.use(use, values) },
        requests: {
          ...handlers.requests,
          address: ({ arguments: values }) => addressView(this.target.id, values),
        },
      },
    });
  }

  private use(use: ResourceUse, values: Arguments): void {
    if (use === 'openToSide') this.start(() => this.runOf(values, vscode.ViewColumn.Beside));
    else
      void vscode.commands.executeCommand(
        commandOf[use],
        userChoice(commandOf[use], { server: this.target.server, uri: templateAddress(this.target.id, values) }),
      );
  }

  protected override actOnResult(request: ResultRequest): void {
    if (this.current) actOnRaw(this.deck, request, this.current);
  }

  /** Reads the resource and opens it in an editor. The page shows errors. */
  protected override runOf(values: Arguments, viewColumn = vscode.ViewColumn.Active): PageRun<vscode.Uri> {
    const { host, resources } = this.deck;
    const { target } = this;
    const address = { server: target.server, uri: templateAddress(target.id, values) };
    const read = async (options: CallOptions) => {
      if (address.uri === '')
        throw new UserError(vscode.l10n.t('Without values, the template produces no URI. Enter a value.'));
      return readFile({ host, resources }, address, options);
    };
    return this.request(read, {
      request: { method: 'resources/read', params: { uri: address.uri } },
      present: (uri) => {
        showResource(uri, viewColumn).then(undefined, (error: unknown) => this.deck.funnel.show(error, target.server));
        return undefined;
      },
    });
  }
}
