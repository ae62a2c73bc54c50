import * as vscode from 'vscode';
import { HostError } from '../../core/base/hostError.js';
import { visibleLine } from '../../core/base/hostileText.js';
import type { HostApi } from '../../core/catalog/hostApi.js';
import { isTemplate, resourcePickRows } from '../../core/present/toolPick.js';
import { expandTemplate, templateVariables } from '../../core/protocol/uriTemplate.js';
import type { ResourceAddress } from '../../core/resources/resourcePath.js';
import { askTexts } from '../commands/textForm.js';
import { chooseTarget } from '../commands/pickTarget.js';
import type { Invocation } from '../invocation.js';
import { activeResource } from './resourceUri.js';

/**
 * The resource a command is about: the one that was clicked, a template with its variables filled in, or one that is asked
 * for. Its server runs when this resolves.
 */
export async function chooseResource(host: HostApi, { target }: Invocation, title: string): Promise<ResourceAddress> {
  const server = target?.server;
  const clicked = target?.uri ?? target?.uriTemplate;
  const chosen = await chooseTarget(host, server === undefined || clicked === undefined ? undefined : { server, name: clicked }, {
    title,
    placeholder: vscode.l10n.t('Type a part of the name, the address or the server'),
    noneMessage: vscode.l10n.t('No running server offers resources.'),
    rows: () => resourcePickRows(host.servers().filter(({ id }) => server === undefined || id === server), Date.now(), vscode.l10n.t),
  });
  const needsValues = clicked === undefined ? isTemplate(host.server(chosen.server), chosen.name) : target?.uri === undefined;
  return { server: chosen.server, uri: needsValues ? await fillTemplate(host, chosen.server, chosen.name) : chosen.name };
}

/** The same for commands on an open resource: without a click the one in the active editor is meant. */
export async function chooseOpenResource(host: HostApi, invocation: Invocation, title: string): Promise<ResourceAddress> {
  const active = invocation.target === undefined ? activeResource() : undefined;
  return active ?? chooseResource(host, invocation, title);
}

/** Templates whose values are kept. */
const maxTemplates = 50;
/** What was filled in last, by server and template, while the window lives: whoever leaves a form or fails with it finds it again. */
const filledIn = new Map<string, Map<string, string>>();

function valuesOf(server: string, template: string): Map<string, string> {
  const key = JSON.stringify([server, template]);
  const values = filledIn.get(key) ?? new Map<string, string>();
  filledIn.delete(key);
  filledIn.set(key, values);
  for (const oldest of filledIn.keys()) if (filledIn.size > maxTemplates) filledIn.delete(oldest);
  return values;
}

async function fillTemplate(host: HostApi, server: string, template: string): Promise<string> {
  const values = await askTexts(host, {
    title: visibleLine(template, 120),
    server,
    reference: { type: 'ref/resource', uri: template },
    fields: templateVariables(template).map((name) => ({ name, isRequired: false })),
    values: valuesOf(server, template),
  });
  const uri = expandTemplate(template, values);
  if (uri === '') throw new HostError('invalid-arguments', vscode.l10n.t('Without values the template "{0}" gives no address.', visibleLine(template, 120)));
  return uri;
}
