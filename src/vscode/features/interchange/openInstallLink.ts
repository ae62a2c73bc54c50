import * as vscode from 'vscode';
import { UserError } from '../../../core/base/hostError.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import { describePortable } from '../../../core/interchange/portableDefinition.js';
import { readInstallLink } from '../../../core/interchange/installLink.js';
import { findSecrets } from '../../../core/interchange/plainSecrets.js';
import { installQuestion } from '../../../core/present/questions/installQuestion.js';
import type { ExtensionServices } from '../../ui/services.js';
import { askSafely } from '../../ui/confirm.js';
import { addImported, askWhereSecretsGo, refuseBlocked } from '../../ui/addImported.js';
import { descriptionOfPlace, inputsAt, ownPlaces, userPlace } from '../../adapters/ownPlaces.js';
import type { Reports } from '../../ui/reports.js';
import { showInterchangeReport } from './showInterchangeReport.js';
import { showInformation } from '../../adapters/userMessages.js';

/** `vscode://…/install?…`: shows exactly what the server would run and asks where to write it. Starts nothing. */
export async function openInstallLink(
  deck: Pick<ExtensionServices, 'consent' | 'host'>,
  reports: Reports,
  { query }: vscode.Uri,
): Promise<void> {
  const link = readInstallLink(query);
  if ('problem' in link) throw new UserError(vscode.l10n.t('The link cannot be used. {0}', link.problem));
  const { server, inputs } = link;
  refuseBlocked(deck.host, server);
  // If the server is added to the user settings, it is not asked about again, and it can use the inputs there.
  const known = await inputsAt(userPlace(), inputs);
  const description = describePortable(server, known, { id: 'link', kind: 'vscode', label: vscode.l10n.t('a link') });
  if ('problem' in description) throw new UserError(vscode.l10n.t('The link cannot be used. {0}', description.problem));
  const { message, detail } = installQuestion(server.name, description);
  if (
    !(await askSafely({
      message,
      detail,
      page: 'import-and-export',
      go: vscode.l10n.t('Choose Location…'),
    }))
  ) {
    deck.consent.audit.note({ event: 'link', server: server.name, outcome: 'refused' });
    return;
  }
  deck.consent.audit.note({ event: 'link', server: server.name, outcome: 'allowed' });
  const items = ownPlaces().map((place) => ({ label: place.label, description: descriptionOfPlace(place), place }));
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Add "{0}"', visibleLine(server.name)),
    placeHolder: vscode.l10n.t('Where should the server be saved?'),
    ignoreFocusOut: true,
  });
  if (!picked) return;
  const secrets = findSecrets([server]);
  const moved =
    picked.place.kind === 'portable'
      ? await askWhereSecretsGo(secrets, vscode.l10n.t('Add "{0}"', visibleLine(server.name)), picked.place)
      : secrets;
  if (!moved) return;
  const { names, losses } = await addImported(
    deck,
    { servers: [server], inputs, place: picked.place, moved, isShown: true },
    'user',
  );
  if (losses.some(({ field }) => field !== '')) {
    await showInterchangeReport(reports, {
      title: vscode.l10n.t(
        '"{0}" was added to {1}. Start it in the Servers view.',
        names.join(', '),
        picked.place.label,
      ),
      servers: names,
      losses,
      unusable: [],
    });
    return;
  }
  void showInformation(
    names.length === 0
      ? vscode.l10n.t('"{0}" is already in {1}.', visibleLine(server.name), picked.place.label)
      : vscode.l10n.t('"{0}" was added to {1}. Start it in the Servers view.', names.join(', '), picked.place.label),
  );
}
