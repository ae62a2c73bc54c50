import * as vscode from 'vscode';
import { HostError, UserError } from '../../core/base/hostError.js';
import type { ServerView } from '../../core/catalog/hostTypes.js';
import type { ServersApi } from '../../core/host/hostServers.js';
import { serverNode } from '../../core/present/tree/serverNodes.js';
import type { Invocation } from './invocation.js';

export interface ServerQuestion {
  /** The title of the list. It states what the command does with the chosen server. */
  title: string;
  /** Whether the list offers this server. A server that the call specifies is accepted in any state. */
  isCandidate(view: ServerView): boolean;
  /** The message that replaces an empty list. */
  noneMessage: string;
}

/** Returns the server that the call specifies or that the user clicked. Otherwise asks the user. */
export async function chooseServer(
  servers: ServersApi,
  invocation: Invocation,
  question: ServerQuestion,
): Promise<ServerView> {
  const { call, target } = invocation;
  if (call) return namedServer(servers, call.server);
  if (target?.server !== undefined) return namedServer(servers, target.server);
  const candidates = servers.list().filter((view) => question.isCandidate(view));
  if (candidates.length === 0) throw new UserError(question.noneMessage);
  const picked = await vscode.window.showQuickPick(candidates.map(pickItem), {
    title: question.title,
    matchOnDescription: true,
  });
  if (!picked) throw new HostError('cancelled', 'No server was picked.');
  return picked.view;
}

/** Returns the server with this ID. Throws if there is none. */
export function namedServer(servers: ServersApi, id: unknown): ServerView {
  if (typeof id !== 'string') {
    throw new HostError('invalid-arguments', vscode.l10n.t('The argument object must contain "server" (a string).'), {
      hint: vscode.l10n.t('Pass an object such as {0}.', '{ "server": "name" }'),
    });
  }
  const view = servers.get(id);
  if (view) return view;
  const known = servers.list().map((server) => server.id);
  throw new HostError('unknown-server', vscode.l10n.t('There is no server "{0}" in this window.', id), {
    hint:
      known.length === 0 ? vscode.l10n.t('No server is configured.') : vscode.l10n.t('Servers: {0}.', known.join(', ')),
  });
}

function pickItem(view: ServerView): vscode.QuickPickItem & { view: ServerView } {
  const { label, description, icon } = serverNode(view, Date.now());
  const iconPath =
    icon && new vscode.ThemeIcon(icon.name, icon.color === undefined ? undefined : new vscode.ThemeColor(icon.color));
  return { label, ...(description === undefined ? {} : { description }), ...(iconPath ? { iconPath } : {}), view };
}
