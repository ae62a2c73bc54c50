import * as vscode from 'vscode';
import type { Disposable } from '../../core/base/disposable.js';
import { UserError } from '../../core/base/hostError.js';
import { visibleLine } from '../../core/base/hostileText.js';
import { describeStart } from '../../core/config/describeStart.js';
import { parseConfigText } from '../../core/config/parseConfig.js';
import { readInstallLink } from '../../core/interchange/installLink.js';
import { findSecrets } from '../../core/interchange/secrets.js';
import { installQuestion } from '../../core/present/installQuestion.js';
import type { DeckContext } from '../feature.js';
import { addImported } from './addImported.js';
import { descriptionOfPlace, ownPlaces } from './ownPlaces.js';

/** `vscode://…/install?…`: shows exactly what the server would run and asks where to write it. Starts nothing. */
export function registerInstallRoute(deck: DeckContext): Disposable {
  return deck.uris.register('/install', async ({ query }) => {
    const link = readInstallLink(query);
    if ('problem' in link) throw new UserError(vscode.l10n.t('The link cannot be used. {0}', link.problem));
    const { server, inputs } = link;
    const parsed = parseConfigText(JSON.stringify({ servers: { [server.name]: server.fields }, inputs }), { id: 'link', kind: 'vscode', label: vscode.l10n.t('a link') });
    const [read] = parsed.servers;
    if (!read) throw new UserError(vscode.l10n.t('The link cannot be used. {0}', parsed.problems[0]?.message ?? ''));
    const { message, detail } = installQuestion(server.name, describeStart({ definition: read.definition, source: { id: 'link', kind: 'vscode', label: vscode.l10n.t('a link') }, inputs }), vscode.l10n.t);
    const add: vscode.MessageItem = { title: vscode.l10n.t('Choose Where to Add It…') };
    const refuse: vscode.MessageItem = { title: vscode.l10n.t("Don't Add"), isCloseAffordance: true };
    // The first button is the default one: a hasty Enter must not add anything.
    if ((await vscode.window.showWarningMessage(message, { modal: true, detail }, refuse, add)) !== add) return;
    const items = ownPlaces().map((place) => ({ label: place.label, description: descriptionOfPlace(place), place }));
    const picked = await vscode.window.showQuickPick(items, { title: vscode.l10n.t('Add "{0}"', visibleLine(server.name)), placeHolder: vscode.l10n.t('Where is it written?'), ignoreFocusOut: true });
    if (!picked) return;
    const { names } = await addImported(deck, { servers: [server], inputs, place: picked.place, moved: picked.place.kind === 'portable' ? [] : findSecrets([server]) });
    void vscode.window.showInformationMessage(names.length === 0 ? vscode.l10n.t('"{0}" is in {1} already.', visibleLine(server.name), picked.place.label) : vscode.l10n.t('"{0}" was added to {1}. Start it in the Servers view.', names.join(', '), picked.place.label));
  });
}
