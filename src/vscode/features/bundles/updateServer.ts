import * as vscode from 'vscode';
import { UserError } from '../../../core/base/hostError.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import { galleryFields } from '../../../core/gallery/installedFrom.js';
import { headersOfFile } from '../../../core/gallery/sourceSettings.js';
import { planUpdate } from '../../../core/gallery/updates/planUpdate.js';
import { textsOf } from '../../../core/config/variableSyntax.js';
import { refuseBlocked } from '../../ui/addImported.js';
import { chooseServer } from '../../ui/chooseServer.js';
import { currentSources } from '../../ui/gallerySources.js';
import type { Invocation } from '../../ui/invocation.js';
import type { ExtensionServices } from '../../ui/services.js';
import type { Update } from './applyUpdate.js';
import { applyUpdate, compareDefinitions, installedFields } from './applyUpdate.js';
import { wantsUpdate } from './updateChoice.js';

/**
 * "Update Server…": compares the installed version of a server with the latest version in a stored list. The user
 * updates the server, skips the latest version, or pins the installed one; a script always updates. Reads no registry.
 * Only the file of a bundle is downloaded, after the user or the script has chosen the update.
 */
export async function updateServer(deck: ExtensionServices, invocation: Invocation<'updateServer'>): Promise<void> {
  const { updates, host } = deck;
  const title = vscode.l10n.t('Update Server');
  const view = await chooseServer(host.servers, invocation, {
    title,
    isCandidate: ({ id }) => updates.of(id)?.hasUpdate === true || updates.of(id)?.isPinned === true,
    noneMessage: vscode.l10n.t(
      'No newer versions are known. "MCP Deck: Find a Server…" reads the lists of the registries again.',
    ),
  });
  const news = updates.of(view.id);
  const name = visibleLine(view.entry.name, 80);
  if (!news?.entry || news.entry.version === news.version)
    throw new UserError(vscode.l10n.t('No newer version of "{0}" is known.', name));
  const { entry } = news;
  const from = visibleLine(news.version, 40);
  const to = visibleLine(entry.version, 40);
  const installed = await installedFields(view);
  const isBundle = deck.bundles.foldersIn(textsOf(view.entry.definition)).length > 0;
  const plan = planUpdate(installed.before, entry.json, entry.version, isBundle);
  const update: Update | undefined =
    'fields' in plan ? { ...installed, from, to, after: plan.fields, inputs: plan.inputs, secrets: [] } : undefined;
  const next = update
    ? vscode.l10n.t('Compares the definitions, and asks before anything changes')
    : 'isDifferent' in plan
      ? vscode.l10n.t('Not possible, because the new version starts in a different way')
      : vscode.l10n.t('Downloads and checks the bundle, and asks before anything changes');
  const question = { title, about: `${name}: ${from} → ${to}`, news, from, to, fields: installed.before, next };
  if (!invocation.call && !(await wantsUpdate(deck, question))) return;
  if ('isDifferent' in plan)
    throw new UserError(
      vscode.l10n.t(
        'MCP Deck cannot update "{1}" to version {0}, because the new version starts in a different way. To install it, run "MCP Deck: Find a Server…", and then remove the old server.',
        to,
        name,
      ),
    );
  if (update) {
    refuseBlocked(host, { name: view.entry.name, fields: update.after });
    await compareDefinitions(deck, update);
    await applyUpdate(deck, invocation, update);
    return;
  }
  if (!('file' in plan)) return;
  const source = (await currentSources(deck)).sources.find(({ place }) => place === news.place);
  const headers = source && headersOfFile(source, plan.file);
  await deck.installBundle({
    url: plan.file,
    sha256: plan.sha256,
    label: view.entry.name,
    ...(headers === undefined ? {} : { headers }),
    origin: { fields: galleryFields(news.place, entry) },
    updates: view.id,
  });
}
