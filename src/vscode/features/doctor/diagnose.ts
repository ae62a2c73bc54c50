import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { DisposableStore } from '../../../core/base/disposable.js';
import { messageOf, UserError } from '../../../core/base/hostError.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import { chooseServer } from '../../ui/chooseServer.js';
import type { ExtensionServices, Feature } from '../../ui/services.js';
import type { Invocation } from '../../ui/invocation.js';
import { commandIds } from '../../manifest.js';
import { Reports } from '../../ui/reports.js';
import { showError, withProgress, showInformation } from '../../adapters/userMessages.js';
import type { TrialChange } from '../../../core/catalog/inspection.js';
import type { ServerEntry } from '../../../core/registry/serverEntry.js';
import { readFields, placeOf, writeOwnPlace } from '../../adapters/ownPlaces.js';

/** "Diagnose Server…": checks everything that a start needs and suggests fixes. */
export const doctorFeature: Feature = {
  name: 'connection doctor',
  register(deck): Disposable {
    const store = new DisposableStore();
    const reports = store.add(new Reports('mcpdeck-diagnosis'));
    store.add(
      deck.commands.defineCommand(commandIds.diagnoseServer, (invocation) => diagnoseServer(deck, reports, invocation)),
    );
    return store;
  },
};

/** A script gets the text. The user sees it in a document. */
async function diagnoseServer(
  deck: Pick<ExtensionServices, 'consent' | 'host'>,
  reports: Reports,
  invocation: Invocation,
): Promise<string> {
  const { host } = deck;
  const { id } = await chooseServer(host.servers, invocation, {
    title: vscode.l10n.t('Diagnose Server'),
    isCandidate: () => true,
    noneMessage: vscode.l10n.t('No server is configured.'),
  });
  // Loaded on first use, because it needs node:https and node:tls, which take longer to load than the rest of the
  // extension.
  const [{ diagnose }, { checkTitles, diagnosisText }] = await Promise.all([
    import('../../../core/doctor/doctor.js'),
    import('../../../core/doctor/diagnosisText.js'),
  ]);
  const inspection = await host.servers.inspect(id);
  const titles = checkTitles();
  const title = vscode.l10n.t('Diagnosing "{0}"', visibleLine(id, 60));
  const diagnosis = await withProgress(
    { location: vscode.ProgressLocation.Notification, title, cancellable: true },
    (progress, token) => {
      const controller = new AbortController();
      token.onCancellationRequested(() => controller.abort());
      return diagnose(host, id, inspection, {
        signal: controller.signal,
        onStep: (step) => progress.report({ message: titles[step] }),
      });
    },
  );
  const text = diagnosisText(visibleLine(id), diagnosis);
  if (!invocation.call) {
    await reports.show(vscode.l10n.t('Diagnosis of {0}', visibleLine(id, 60)), text);
    const { change } = diagnosis.checks.find((check) => check.change !== undefined) ?? {};
    // Do not wait for the answer, so that the report is available in any case.
    if (change) void offerChange(deck, inspection.entry, change).catch((error: unknown) => showError(messageOf(error)));
  }
  return text;
}

/** Offers to write a field that lets the server start. Writes only after a click. */
async function offerChange(
  { host, consent }: Pick<ExtensionServices, 'consent' | 'host'>,
  { id, name, source }: ServerEntry,
  change: TrialChange,
): Promise<void> {
  const place = placeOf(source);
  const [[field, value] = ['', '']] = Object.entries(change);
  if (!place) return;
  const write = vscode.l10n.t('Write to Definition');
  const question = vscode.l10n.t(
    '"{0}" responds with "{1}": "{2}". Write this field to its definition in {3}?',
    visibleLine(name, 60),
    field,
    value,
    place.label,
  );
  if ((await showInformation(question, write)) !== write) return;
  if (!host.servers.get(id))
    throw new UserError(vscode.l10n.t('"{0}" is no longer in {1}.', visibleLine(name), place.label));
  const before = await readFields(name, place);
  await writeOwnPlace(place, { servers: { [name]: { ...before, ...change } } });
  consent.audit.note({ event: 'server-edited', server: id, source: place.label, fields: [field], caller: 'user' });
}
