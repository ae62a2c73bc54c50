import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { chooseServer } from '../../ui/chooseServer.js';
import type { Feature } from '../../ui/services.js';
import { commandIds } from '../../manifest.js';

/** "Show Server Details…": everything about one server in an editor tab. */
export const detailsFeature: Feature = {
  name: 'server details',
  register({ host, commands, serverPanels }): Disposable {
    return commands.register(commandIds.showServerDetails, async (invocation) => {
      const { id } = await chooseServer(host, invocation, { title: vscode.l10n.t('Show Details of Which Server?'), isCandidate: () => true, noneMessage: vscode.l10n.t('No server is configured.') });
      await serverPanels.open(id);
    });
  },
};
