import * as vscode from 'vscode';
import { HostError } from '../../core/base/hostError.js';
import { isTemplate, resourcePickRows } from '../../core/present/chat/toolPick.js';
import type { ResourceAddress } from '../../core/resources/resourcePath.js';
import { chooseTarget } from './pickTarget.js';
import type { ExtensionServices } from './services.js';
import type { Invocation } from './invocation.js';
import { activeResource } from './resourceUri.js';

/**
 * Returns the resource of the invocation, or asks the user for one. Its server is running when the promise resolves. If
 * the user chooses a template, the template page opens and the promise rejects with `cancelled`, because that page has
 * all actions for a resource.
 */
export async function chooseResource(
  { host, templatePanels }: Pick<ExtensionServices, 'host' | 'templatePanels'>,
  { target }: Invocation,
  title: string,
): Promise<ResourceAddress> {
  const server = target?.server;
  const clicked = target?.uri ?? target?.uriTemplate;
  const chosen = await chooseTarget(
    host,
    server === undefined || clicked === undefined ? undefined : { server, name: clicked },
    {
      title,
      placeholder: vscode.l10n.t('Type part of the name, the URI, or the server'),
      noneMessage: vscode.l10n.t('No running server offers resources.'),
      rows: () =>
        resourcePickRows(
          host.servers.list().filter(({ id }) => server === undefined || id === server),
          Date.now(),
        ),
    },
  );
  const isToFill =
    clicked === undefined ? isTemplate(host.servers.get(chosen.server), chosen.name) : target?.uri === undefined;
  if (!isToFill) return { server: chosen.server, uri: chosen.name };
  templatePanels.open(chosen.server, chosen.name);
  throw new HostError('cancelled', 'The template is filled in on its page.');
}

/**
 * Like `chooseResource`, for commands on an open resource. If there is no target, uses the resource in the active
 * editor.
 */
export async function chooseOpenResource(
  deck: Pick<ExtensionServices, 'host' | 'templatePanels'>,
  invocation: Invocation,
  title: string,
): Promise<ResourceAddress> {
  const active = invocation.target === undefined ? activeResource() : undefined;
  return active ?? chooseResource(deck, invocation, title);
}
