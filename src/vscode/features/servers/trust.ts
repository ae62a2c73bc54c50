import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { DisposableStore } from '../../../core/base/disposable.js';
import type { HostApi } from '../../../core/host/hostApi.js';
import type { StoredValuesApi } from '../../../core/host/storedValues.js';
import type { Audit } from '../../../core/consent/audit.js';
import type { Feature } from '../../ui/services.js';
import type { Invocation } from '../../ui/invocation.js';
import { auditCallerOf } from '../../ui/invocation.js';
import { commandIds } from '../../manifest.js';
import { chooseServer } from '../../ui/chooseServer.js';
import { startServer } from './lifecycle.js';
import { showInformation } from '../../adapters/userMessages.js';

export const trustCommands: Feature = {
  name: 'trust commands',
  register({ host, commands, consent }): Disposable {
    const store = new DisposableStore();
    store.add(commands.defineCommand(commandIds.reviewTrust, (invocation) => reviewTrust(host, invocation)));
    store.add(
      commands.defineCommand(commandIds.resetTrust, (invocation) =>
        resetTrust(host.storedValues, consent.audit, invocation),
      ),
    );
    return store;
  },
};

/**
 * Shows what a server would run and asks for approval. If the user selects "Start Server", or if the start is already
 * approved, the server is started. A script cannot answer the question. In Restricted Mode, opens the Workspace Trust
 * editor instead.
 */
async function reviewTrust(host: Pick<HostApi, 'servers' | 'lifecycle'>, invocation: Invocation): Promise<unknown> {
  if (!vscode.workspace.isTrusted) return vscode.commands.executeCommand('workbench.trust.manage');
  const { id } = await chooseServer(host.servers, invocation, {
    title: vscode.l10n.t('Review Server'),
    isCandidate: ({ state }) => state.kind === 'needsTrust',
    noneMessage: vscode.l10n.t('No server is waiting for your approval.'),
  });
  return startServer(host, id, true);
}

async function resetTrust(stored: StoredValuesApi, audit: Audit, invocation: Invocation): Promise<void> {
  await stored.resetTrust();
  audit.note({ event: 'trust-reset', caller: auditCallerOf(invocation) });
  void showInformation(
    vscode.l10n.t('The servers of this workspace ask for your approval again when they next start.'),
  );
}
