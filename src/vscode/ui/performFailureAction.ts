/** Runs the actions that are suggested for a failure: in a notification, or on a page. */
import * as vscode from 'vscode';
import type { HostApi } from '../../core/host/hostApi.js';
import type { FailureAction } from '../../core/present/failure/failureText.js';
import type { CommandId, CommandName } from '../manifest.js';
import { commandIds, viewIds } from '../manifest.js';
import type { UserChoice } from './invocation.js';
import { OfferedTarget, userChoice } from './invocation.js';

/** Runs the action of a notification as a command, so that its own errors are handled too. */
export function offerFailureAction(action: FailureAction, server: string | undefined): Thenable<unknown> {
  return perform(action, server, (_command, target) => new OfferedTarget(target));
}

/**
 * Runs an action for a button of a page that shows why its server does not run. The page shows a new failure of the
 * server, so a message shows it only if the page is hidden when the action ends. All other errors are shown in
 * messages.
 */
export function performOnPage(
  { host, funnel }: { host: Pick<HostApi, 'servers'>; funnel: { show(error: unknown, server: string): void } },
  action: FailureAction | CommandName,
  { server, panel }: { server: string; panel: { readonly visible: boolean } },
): Thenable<unknown> {
  const current = () => {
    const state = host.servers.get(server)?.state;
    return state?.kind === 'failed' || state?.kind === 'needsSignIn' ? state.error : undefined;
  };
  const before = current();
  const onFailure = (error: unknown) => {
    const now = current();
    if (now === undefined || now === before || !panel.visible) funnel.show(error, server);
  };
  return perform(action, server, (command, target) => userChoice(command, target, onFailure));
}

function perform(
  action: FailureAction | CommandName,
  server: string | undefined,
  argumentFor: (command: CommandId, target: { server: string }) => OfferedTarget | UserChoice,
): Thenable<unknown> {
  if (action === 'manageWorkspaceTrust') return vscode.commands.executeCommand('workbench.trust.manage');
  if (action === 'showServers') return vscode.commands.executeCommand(`${viewIds.servers}.focus`);
  const command =
    commandIds[action === 'tryAgain' ? 'restartServer' : action === 'replaceSecret' ? 'setSecret' : action];
  // An empty argument object selects the log of MCP Deck instead of the log of a server.
  return vscode.commands.executeCommand(command, server === undefined ? {} : argumentFor(command, { server }));
}
