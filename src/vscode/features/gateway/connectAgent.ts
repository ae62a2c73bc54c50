import { existsSync } from 'node:fs';
import * as vscode from 'vscode';
import { HostError, messageOf, UserError } from '../../../core/base/hostError.js';
import { onStorage } from '../../../core/base/storageFailure.js';
import { doorCommand, writeDoor } from '../../../core/gateway/door/doorCopy.js';
import {
  agentFile,
  agentIds,
  changedLines,
  doorName,
  isConnected,
  terminalCommands,
  withDoor,
  withoutDoor,
} from '../../../core/interchange/agentDoor.js';
import type { AppId } from '../../../core/interchange/appFormats.js';
import { appFormats } from '../../../core/interchange/appFormats.js';
import { showInformation, withProgress } from '../../adapters/userMessages.js';
import { viewIds } from '../../manifest.js';
import { appFilesHere, appFileText, writeAppFile } from '../../ui/appFileText.js';
import { askToWiden } from '../../ui/confirm.js';
import { withHomeAsTilde } from '../../ui/homeFolder.js';
import type { Invocation } from '../../ui/invocation.js';
import { auditCallerOf } from '../../ui/invocation.js';
import type { ExtensionServices } from '../../ui/services.js';
import { reviewServers, tellUnapproved, unapprovedServers } from '../../ui/unapprovedServers.js';
import { doorCopy } from './doorPlace.js';
import { startGateway } from './startGateway.js';

type Services = Pick<ExtensionServices, 'client' | 'consent' | 'extension' | 'funnel' | 'gateway' | 'host'>;

/** An app, its configuration file, and the text of the file. */
interface Agent {
  app: AppId;
  title: string;
  file: string;
  text: string;
  isConnected: boolean;
}

/**
 * "Connect Agent…": writes an entry into the configuration of another app, and starts the gateway if it is off; or
 * removes the entry. The entry starts the door, a program that connects the app to the gateway. One question shows the
 * changed lines and says whether the gateway starts. If the user agrees, the first client that uses the entry is
 * approved too.
 */
export async function connectAgent(
  deck: Services,
  invocation: Invocation<'connectAgent'>,
): Promise<{ file: string; isConnected: boolean }> {
  const { call } = invocation;
  const agents = await readAgents(deck);
  const agent = call ? agents.find(({ app }) => app === call.app) : await pick(agents);
  if (!agent)
    throw new HostError(
      'invalid-arguments',
      vscode.l10n.t('The argument object must contain "app" (one of {0}).', agentIds.join(', ')),
    );
  const isRemoval = call ? call.disconnect === true : agent.isConnected;
  const { app, title, file, text } = agent;
  const copy = doorCopy(deck);
  const changed = edited(agent, () => (isRemoval ? withoutDoor(app, text) : withDoor(app, text, doorCommand(copy))));
  const place = withHomeAsTilde(file);
  if (changed !== text) {
    const startsGateway = !isRemoval && !deck.gateway.opened;
    const question = isRemoval
      ? removal(agent, changed)
      : addition(agent, changed, startsGateway, !call && hasOtherServers(deck));
    await askToWiden(deck.consent.audit, invocation, { ...question, page: 'agents', isExpected: true });
    if (!isRemoval) await onStorage({ operation: 'write', thing: withHomeAsTilde(copy.folder) }, () => writeDoor(copy));
    // Another program may have changed the file in the meantime.
    if ((await appFileText(file)) !== text)
      throw new UserError(
        vscode.l10n.t('{0} was changed by another program at the same time. Run the command again.', place),
      );
    await onStorage({ operation: 'write', thing: place }, () => writeAppFile(file, changed));
    await deck.gateway.connectApp(app, !isRemoval);
    if (!isRemoval)
      deck.consent.audit.note({
        event: 'server-exported',
        servers: [doorName],
        to: place,
        caller: auditCallerOf(invocation),
      });
    if (!call && !isRemoval) revealGateway();
    if (startsGateway) await startFor(deck, agent, invocation);
  }
  if (!call) {
    if (isRemoval) void showInformation(vscode.l10n.t('MCP Deck was removed from {0}.', title));
    else await announce(deck, agent);
  }
  return { file, isConnected: !isRemoval };
}

async function readAgents({ extension }: Services): Promise<Agent[]> {
  const files = await appFilesHere(extension);
  return Promise.all(
    agentIds.map(async (app) => {
      const file = agentFile(app, files, existsSync);
      // An unreadable file is reported when the user selects its app.
      const text = await appFileText(file).catch(() => '');
      return { app, title: appFormats[app].title, file, text, isConnected: isConnected(app, text) };
    }),
  );
}

async function pick(agents: readonly Agent[]): Promise<Agent> {
  const items = (some: readonly Agent[]) =>
    some.map((agent) => ({
      label: agent.title,
      description: agent.isConnected ? vscode.l10n.t('added') : '',
      detail: withHomeAsTilde(agent.file),
      agent,
    }));
  const connected = agents.filter(({ isConnected: isThere }) => isThere);
  const others = agents.filter(({ isConnected: isThere }) => !isThere);
  const separator = { label: vscode.l10n.t('no configuration file yet'), kind: vscode.QuickPickItemKind.Separator };
  const all: (vscode.QuickPickItem & { agent?: Agent })[] = [
    ...items(connected),
    ...items(others.filter(({ text }) => text !== '')),
    separator,
    ...items(others.filter(({ text }) => text === '')),
  ];
  const picked = await vscode.window.showQuickPick(all, {
    title: vscode.l10n.t('Connect Agent'),
    placeHolder:
      connected.length > 0
        ? vscode.l10n.t('Select an agent to connect it. To disconnect an agent, select one marked "added".')
        : vscode.l10n.t('Select the agent to connect'),
    matchOnDetail: true,
    ignoreFocusOut: true,
  });
  if (!picked?.agent) throw new HostError('cancelled', 'No agent was picked.');
  return picked.agent;
}

function edited({ file }: Agent, edit: () => string): string {
  try {
    return edit();
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(
      vscode.l10n.t('{0} cannot be changed: {1} Correct the file first.', withHomeAsTilde(file), messageOf(error)),
    );
  }
}

function addition({ title, file, text }: Agent, changed: string, startsGateway: boolean, asksMore: boolean) {
  const starts = startsGateway
    ? vscode.l10n.t('The gateway and the approved servers start in this window.')
    : vscode.l10n.t('The approved servers start in this window.');
  const reviews = vscode.l10n.t('Then MCP Deck asks about each server that needs your approval.');
  return {
    message: vscode.l10n.t('Connect {0} to MCP Deck?', title),
    detail: [
      vscode.l10n.t(
        'Until you disconnect it, {0} can then list what your servers offer in this workspace, and read resources and prompts. MCP Deck asks you before each tool call, unless a rule decides or a built-in tool only reads.',
        title,
      ),
      asksMore ? `${starts} ${reviews}` : starts,
      vscode.l10n.t('MCP Deck adds the entry "{0}" to {1}:', doorName, withHomeAsTilde(file)),
      changedLines(text, changed),
    ].join('\n\n'),
    go: startsGateway ? vscode.l10n.t('Connect and Start Gateway') : vscode.l10n.t('Connect'),
  };
}

/** Whether a server does not run yet, except the built-in one. Whether it needs approval is known when it starts. */
function hasOtherServers({ host }: Services): boolean {
  return host.servers
    .list()
    .some(({ entry, state }) => entry.isEnabled && entry.source.kind !== 'builtin' && state.kind !== 'running');
}

function removal({ title, file, text }: Agent, changed: string) {
  return {
    message: vscode.l10n.t('Disconnect {0} from MCP Deck?', title),
    detail: vscode.l10n.t('MCP Deck changes {0}:\n\n{1}', withHomeAsTilde(file), changedLines(text, changed)),
    go: vscode.l10n.t('Disconnect'),
  };
}

/** Starts the gateway after the entry was written. If this fails, the message says that the entry was written. */
async function startFor(deck: Services, { title }: Agent, invocation: Invocation): Promise<void> {
  try {
    await startGateway(deck, invocation);
  } catch (error) {
    throw new UserError(
      vscode.l10n.t(
        'MCP Deck was added to {0}, but the gateway did not start. To try again, select Start Gateway in the Gateway view. Cause: {1}',
        title,
        messageOf(error),
      ),
    );
  }
}

/** Opens the Gateway view, which shows when the agent connects. It stays open after the message has disappeared. */
function revealGateway(): void {
  void vscode.commands.executeCommand(`${viewIds.gateway}.focus`, { preserveFocus: true });
}

/**
 * Opens the reviews of servers that need approval, and then says what to do next. Many agents read the list of tools
 * only when they start, so the tools of servers that are approved later would be missing.
 */
async function announce(deck: Services, { app, title }: Agent): Promise<void> {
  await withProgress({ location: { viewId: viewIds.gateway } }, () => deck.gateway.startServers());
  const left = await reviewServers(deck, unapprovedServers(deck.host));
  const command = terminalCommands[app];
  const next =
    command === undefined
      ? vscode.l10n.t('Start {0} now. If it is running, restart it.', title)
      : vscode.l10n.t('Start {0} in the folder of this workspace. If it is running, restart it.', title);
  if (left.length > 0) {
    tellUnapproved(deck, left, { after: next });
    return;
  }
  if (command === undefined) {
    void showInformation(next);
    return;
  }
  const start = vscode.l10n.t('Start in Terminal');
  void showInformation(next, start).then((chosen) => {
    if (chosen === start) startInTerminal(title, command);
  });
}

function startInTerminal(name: string, command: string): void {
  // On Windows, a program in the folder must not be started instead of the agent.
  const env = { NoDefaultCurrentDirectoryInExePath: '1' };
  const cwd = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === 'file')?.uri;
  const terminal = vscode.window.createTerminal({ name, env, ...(cwd ? { cwd } : {}) });
  terminal.show();
  terminal.sendText(command);
}
