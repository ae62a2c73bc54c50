import * as vscode from 'vscode';
import { HostError, UserError, isCancelled } from '../../../core/base/hostError.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import type { ServerView } from '../../../core/catalog/hostTypes.js';
import { isLive } from '../../../core/connection/serverConnection.js';
import type { ServerSummary } from '../../../core/present/server/serverSummary.js';
import { failureActionLabel } from '../../../core/present/failure/failureActions.js';
import { noteServer } from '../../../core/present/failure/failureText.js';
import { offerFailureAction } from '../../ui/performFailureAction.js';
import { tellUnapproved } from '../../ui/unapprovedServers.js';
import type { Invocation } from '../../ui/invocation.js';
import type { ExtensionServices, Feature } from '../../ui/services.js';
import { commandIds } from '../../manifest.js';
import { showInformation } from '../../adapters/userMessages.js';
import { inView, summaryOf } from './lifecycle.js';

type Services = Pick<ExtensionServices, 'funnel' | 'host'>;

/** A server that did not start. */
interface NotStarted {
  id: string;
  error: unknown;
}

export const startAllCommand: Feature = {
  name: 'start all servers',
  register(deck: Services & Pick<ExtensionServices, 'commands'>) {
    return deck.commands.defineCommand(commandIds.startAllServers, (invocation) => startAll(deck, invocation));
  },
};

/**
 * Starts all servers of the active preset without asking. Servers that need approval are not started; the tree shows
 * what each of them is waiting for.
 */
async function startAll(deck: Services, invocation: Invocation): Promise<ServerSummary[]> {
  const { host } = deck;
  const included = host.servers.list().filter(isIncluded);
  const waiting = included.filter(({ state }) => !isLive(state));
  if (waiting.length === 0 && !invocation.call) {
    void showInformation(allRunning(host.servers.list()));
    return [];
  }
  const notStarted: NotStarted[] = [];
  const starts = waiting.map(async ({ id }) => {
    try {
      await host.lifecycle.start(id, { interactive: false });
    } catch (error) {
      noteServer(error, id);
      if (!isCancelled(error)) notStarted.push({ id, error });
    }
  });
  await inView(() => Promise.all(starts));
  if (notStarted.length > 0) {
    if (invocation.call) throw new UserError(failuresText(notStarted, waiting.length));
    report(deck, notStarted, waiting.length);
  }
  return waiting.map(({ id }) => summaryOf(host.servers, id));
}

function isIncluded({ entry, switches, blocked }: ServerView): boolean {
  return entry.isEnabled && switches?.isLeftOut !== true && blocked === undefined;
}

function allRunning(servers: readonly ServerView[]): string {
  const preset = servers.find(({ switches }) => switches?.isLeftOut === true)?.switches?.preset;
  return preset === undefined
    ? vscode.l10n.t('All enabled servers are already running.')
    : vscode.l10n.t('All servers of the preset "{0}" are already running.', visibleLine(preset, 60));
}

/**
 * Shows one message for all servers that did not start; a single failure is shown with its own message. A server that
 * needs approval has not failed.
 */
function report(deck: Services, notStarted: readonly NotStarted[], started: number): void {
  const { funnel } = deck;
  const needsTrust = ({ error }: NotStarted) => error instanceof HostError && error.code === 'not-trusted';
  const unapproved = notStarted.filter(needsTrust);
  const failed = notStarted.filter((one) => !needsTrust(one));
  const [only, ...more] = failed;
  if (only && more.length === 0) funnel.show(only.error, only.id);
  else if (only) {
    const showServers = {
      title: failureActionLabel('showServers'),
      run: () => offerFailureAction('showServers', undefined),
    };
    funnel.tell('warning', failuresText(failed, started), [showServers]);
  }
  if (unapproved.length > 0)
    tellUnapproved(
      deck,
      unapproved.map(({ id }) => id),
    );
}

function failuresText(failed: readonly NotStarted[], started: number): string {
  return vscode.l10n.t(
    '{0} of {1} servers did not start: {2}. The Servers view shows why.',
    failed.length,
    started,
    namesOf(failed),
  );
}

function namesOf(servers: readonly NotStarted[]): string {
  return servers.map(({ id }) => visibleLine(id, 60)).join(', ');
}
