import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import { chooseServer } from '../../ui/chooseServer.js';
import type { ExtensionServices, Feature } from '../../ui/services.js';
import type { Invocation } from '../../ui/invocation.js';
import { commandIds } from '../../manifest.js';

/** "Diagnose Server…": checks all prerequisites of a start and suggests fixes. */
export const doctorFeature: Feature = {
  name: 'connection doctor',
  register(deck): Disposable {
    return deck.commands.defineCommand(commandIds.diagnoseServer, (invocation) => diagnoseServer(deck, invocation));
  },
};

/** Returns the findings as text to a script. For the user, shows the checks on the page of the server. */
async function diagnoseServer(
  { host, serverPanels }: Pick<ExtensionServices, 'host' | 'serverPanels'>,
  invocation: Invocation,
): Promise<string | undefined> {
  const { id } = await chooseServer(host.servers, invocation, {
    title: vscode.l10n.t('Diagnose Server'),
    isCandidate: () => true,
    noneMessage: vscode.l10n.t('No server is configured.'),
  });
  if (!invocation.call) {
    await serverPanels.diagnose(id);
    return undefined;
  }
  // Loaded on first use, because it needs node:https and node:tls, which take longer to load than the rest of the
  // extension.
  const [{ diagnose }, { diagnosisText }] = await Promise.all([
    import('../../../core/doctor/doctor.js'),
    import('../../../core/doctor/diagnosisText.js'),
  ]);
  const { signal } = new AbortController();
  return diagnosisText(visibleLine(id), await diagnose(host, id, await host.servers.inspect(id), { signal }));
}
