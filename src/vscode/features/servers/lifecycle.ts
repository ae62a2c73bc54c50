import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { DisposableStore } from '../../../core/base/disposable.js';
import { UserError } from '../../../core/base/hostError.js';
import { visibleName } from '../../../core/base/visibleName.js';
import { isLive } from '../../../core/connection/serverConnection.js';
import type { ServerView } from '../../../core/catalog/hostTypes.js';
import type { ServersApi } from '../../../core/host/hostServers.js';
import type { ServerSummary } from '../../../core/present/server/serverSummary.js';
import { summarizeServer } from '../../../core/present/server/serverSummary.js';
import { writeSetting } from '../../adapters/settings.js';
import { askToWiden, askUnlessProven } from '../../ui/confirm.js';
import { concerning } from '../../ui/commandFunnel.js';
import type { ExtensionServices, Feature } from '../../ui/services.js';
import type { Invocation } from '../../ui/invocation.js';
import { auditCallerOf } from '../../ui/invocation.js';
import { commandIds, viewIds } from '../../manifest.js';
import type { ServerQuestion } from '../../ui/chooseServer.js';
import { chooseServer } from '../../ui/chooseServer.js';
import type { StartingHost } from '../../ui/pickTarget.js';
import { withProgress } from '../../adapters/userMessages.js';

/**
 * Commands that start, stop, enable, and disable servers. A script specifies the server. For a script, only the
 * commands that enable a server ask the user.
 */
export const lifecycleCommands: Feature = {
  name: 'lifecycle commands',
  register(deck: Pick<ExtensionServices, 'commands' | 'configuration' | 'consent' | 'host'>): Disposable {
    const { host, commands, configuration } = deck;
    const store = new DisposableStore();
    store.add(commands.defineCommand(commandIds.startServer, (invocation) => start(host, invocation)));
    store.add(commands.defineCommand(commandIds.stopServer, (invocation) => stop(host, invocation)));
    store.add(commands.defineCommand(commandIds.restartServer, (invocation) => restart(host, invocation)));
    store.add(commands.defineCommand(commandIds.listAgain, (invocation) => listAgain(host, invocation)));
    store.add(commands.defineCommand(commandIds.stopAllServers, () => stopAll(host)));
    store.add(commands.defineCommand(commandIds.enableServer, (invocation) => setEnabled(deck, invocation, true)));
    store.add(commands.defineCommand(commandIds.disableServer, (invocation) => setEnabled(deck, invocation, false)));
    store.add(commands.defineCommand(commandIds.enableBuiltInServer, (invocation) => enableBuiltIn(deck, invocation)));
    store.add(
      commands.defineCommand(commandIds.refreshServers, () => {
        configuration.touch();
        return Promise.resolve();
      }),
    );
    return store;
  },
};

/** Starts a server, and shows the progress bar of the Servers view. Returns a summary for scripts. */
export async function startServer(host: StartingHost, id: string, isInteractive: boolean): Promise<ServerSummary> {
  await concerning(
    id,
    inView(() => host.lifecycle.start(id, { interactive: isInteractive })),
  );
  return summaryOf(host.servers, id);
}

async function start(host: StartingHost, invocation: Invocation): Promise<ServerSummary> {
  const view = await chooseServer(host.servers, invocation, {
    title: vscode.l10n.t('Start Server'),
    isCandidate: ({ entry, state }) => entry.isEnabled && !isLive(state),
    noneMessage: vscode.l10n.t('No server can be started. All enabled servers are already running.'),
  });
  return startServer(host, view.id, !invocation.call);
}

async function stop(host: StartingHost, invocation: Invocation): Promise<ServerSummary> {
  const { id } = await chooseServer(host.servers, invocation, {
    title: vscode.l10n.t('Stop Server'),
    isCandidate: isStoppable,
    noneMessage: vscode.l10n.t('No server is running.'),
  });
  await concerning(
    id,
    inView(() => host.lifecycle.stop(id)),
  );
  return summaryOf(host.servers, id);
}

async function restart(host: StartingHost, invocation: Invocation): Promise<ServerSummary> {
  const { id } = await chooseServer(host.servers, invocation, {
    title: vscode.l10n.t('Restart Server'),
    isCandidate: (view) => isStoppable(view) || view.state.kind === 'failed',
    noneMessage: vscode.l10n.t('No server is running.'),
  });
  await concerning(
    id,
    inView(() => host.lifecycle.restart(id, { interactive: !invocation.call })),
  );
  return summaryOf(host.servers, id);
}

/**
 * Requests the lists of a running server again. If a list cannot be loaded, the view shows the failure below the
 * server.
 */
async function listAgain(host: StartingHost, invocation: Invocation): Promise<ServerSummary> {
  const { id } = await chooseServer(host.servers, invocation, {
    title: vscode.l10n.t('Refresh Tools, Resources, and Prompts'),
    isCandidate: ({ state }) => state.kind === 'running',
    noneMessage: vscode.l10n.t('No server is running.'),
  });
  await concerning(
    id,
    inView(() => host.lifecycle.listAgain(id)),
  );
  return summaryOf(host.servers, id);
}

async function stopAll(host: StartingHost): Promise<void> {
  await inView(() =>
    Promise.all(
      host.servers
        .list()
        .filter(isStoppable)
        .map(({ id }) => host.lifecycle.stop(id)),
    ),
  );
}

async function setEnabled(
  { host, consent }: Pick<ExtensionServices, 'consent' | 'host'>,
  invocation: Invocation,
  isEnabled: boolean,
): Promise<void> {
  const question: ServerQuestion = isEnabled
    ? {
        title: vscode.l10n.t('Enable Server'),
        isCandidate: ({ entry }) => !entry.isEnabled,
        noneMessage: vscode.l10n.t('All servers are already enabled.'),
      }
    : {
        title: vscode.l10n.t('Disable Server'),
        isCandidate: ({ entry }) => entry.isEnabled,
        noneMessage: vscode.l10n.t('No server is enabled.'),
      };
  const { id, entry } = await chooseServer(host.servers, invocation, question);
  if (entry.isEnabled === isEnabled) return;
  if (isEnabled) {
    await askUnlessProven(consent.audit, invocation, {
      server: id,
      message: vscode.l10n.t('Enable the server "{0}"?', visibleName(id, 80)),
      detail: vscode.l10n.t('The server can be started again, and its tools can be called.'),
      go: vscode.l10n.t('Enable Server'),
    });
  }
  await host.lifecycle.setEnabled(id, isEnabled);
  consent.audit.note({
    event: isEnabled ? 'server-enabled' : 'server-disabled',
    server: id,
    caller: auditCallerOf(invocation),
  });
}

/**
 * Enables the built-in server. Turns its setting on, so that the server appears, and enables the server if it was
 * disabled separately.
 */
async function enableBuiltIn(
  { host, consent }: Pick<ExtensionServices, 'consent' | 'host'>,
  invocation: Invocation,
): Promise<void> {
  await askToWiden(consent.audit, invocation, {
    message: vscode.l10n.t('Turn on the built-in server?'),
    detail: vscode.l10n.t(
      'The tools of this server find and read the files of your workspace. All callers, such as language models, can call them without your approval, unless a rule asks or denies.',
    ),
    go: vscode.l10n.t('Turn On'),
  });
  await writeSetting('mcpDeck.builtInServer.enabled', true);
  const disabled = host.servers.list().find(({ entry }) => entry.source.kind === 'builtin' && !entry.isEnabled);
  if (disabled) await host.lifecycle.setEnabled(disabled.id, true);
  consent.audit.note({ event: 'server-enabled', server: 'workspace', caller: auditCallerOf(invocation) });
}

function isStoppable({ state }: ServerView): boolean {
  return isLive(state) || (state.kind === 'failed' && state.retryAt !== undefined);
}

/** The summary of a server. Throws a UserError if the server is no longer configured. */
export function summaryOf(servers: ServersApi, id: string): ServerSummary {
  const view = servers.get(id);
  // The server is missing only if the configuration was edited at the same time.
  if (!view) throw new UserError(vscode.l10n.t('The server "{0}" is no longer configured.', id));
  return summarizeServer(view);
}

/** Shows the progress bar of the Servers view while the work runs. The progress bar does not interrupt the user. */
export async function inView<T>(work: () => Promise<T>): Promise<T> {
  return withProgress({ location: { viewId: viewIds.servers } }, work);
}
