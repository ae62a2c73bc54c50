import * as vscode from 'vscode';
import type { Disposable } from '../../core/base/disposable.js';
import { HostError } from '../../core/base/hostError.js';
import { visibleLine } from '../../core/base/hostileText.js';
import type { HostApi } from '../../core/catalog/hostApi.js';
import { isTemplate, resourcePickRows } from '../../core/present/toolPick.js';
import { filePath } from '../../core/resources/resourceFolders.js';
import type { ReadResourceResult } from '../../core/protocol/mcp.js';
import { expandTemplate, templateVariables } from '../../core/protocol/uriTemplate.js';
import { concerning } from '../commandFunnel.js';
import type { DeckContext, Feature } from '../feature.js';
import type { Invocation } from '../invocation.js';
import { commandIds, resourceScheme } from '../manifest.js';
import { askText, back, runSteps } from '../steps.js';
import { pickTarget, startVisibly } from './pickTarget.js';
import { withRunProgress } from './runProgress.js';
import { ScriptCalls } from './scripting.js';

export const readResourceCommands: Feature = {
  name: 'read resource command',
  register(deck): Disposable {
    return deck.commands.register(commandIds.readResource, (invocation) => readResource(deck, invocation));
  },
};

/** Reads a resource and opens what it holds; a script gets the plain result. */
async function readResource(deck: DeckContext, { call, target }: Invocation): Promise<ReadResourceResult | undefined> {
  const { host } = deck;
  if (call) return new ScriptCalls(host, deck.schemas).readResource(call);
  const server = target?.server;
  const chosen =
    server !== undefined && target?.uri !== undefined
      ? { server, uri: target.uri }
      : server !== undefined && target?.uriTemplate !== undefined
        ? { server, uri: await fillTemplate(target.uriTemplate) }
        : await pickResource(host, server);
  await startVisibly(host, chosen.server);
  const { extension } = await withRunProgress(vscode.l10n.t('Reading {0}', visibleLine(chosen.uri, 80)), (options) => concerning(chosen.server, deck.resources.prepare(chosen, options)));
  const uri = vscode.Uri.from({ scheme: resourceScheme, path: filePath(host, chosen, extension) });
  await vscode.commands.executeCommand('vscode.open', uri, { preview: true } satisfies vscode.TextDocumentShowOptions);
  return undefined;
}

async function pickResource(host: HostApi, server: string | undefined): Promise<{ server: string; uri: string }> {
  const picked = await pickTarget(host, {
    title: vscode.l10n.t('Read Resource'),
    placeholder: vscode.l10n.t('Type a part of the name, the address or the server'),
    noneMessage: vscode.l10n.t('No running server offers resources.'),
    rows: () => resourcePickRows(host.servers().filter(({ id }) => server === undefined || id === server), Date.now(), vscode.l10n.t),
  });
  const uri = isTemplate(host.server(picked.server), picked.name) ? await fillTemplate(picked.name) : picked.name;
  return { server: picked.server, uri };
}

/** Asks for the variables of a URI template, one by one; an empty one leaves its part out. */
async function fillTemplate(template: string): Promise<string> {
  const names = templateVariables(template);
  const values: Record<string, string> = {};
  await runSteps(
    names.map((name) => async (step) => {
      const value = await askText({
        title: visibleLine(template, 120),
        step,
        totalSteps: names.length,
        prompt: vscode.l10n.t('The value of {0}', visibleLine(name, 80)),
        value: values[name] ?? '',
        check: () => undefined,
      });
      if (value === undefined) return 'cancel';
      if (value === back) return 'back';
      values[name] = value;
      return 'next';
    }),
  );
  const uri = expandTemplate(template, Object.fromEntries(Object.entries(values).filter(([, value]) => value !== '')));
  if (uri === '') throw new HostError('invalid-arguments', vscode.l10n.t('Without values the template "{0}" gives no address.', visibleLine(template, 120)));
  return uri;
}
