import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { DisposableStore } from '../../../core/base/disposable.js';
import { agentTextsQuestion } from '../../../core/present/questions/agentTextsQuestion.js';
import { HostError, messageOf, UserError } from '../../../core/base/hostError.js';
import { showInformation } from '../../adapters/userMessages.js';
import { commandIds } from '../../manifest.js';
import { askSafely, askToWiden, askUnlessProven } from '../../ui/confirm.js';
import type { Invocation } from '../../ui/invocation.js';
import { auditCallerOf } from '../../ui/invocation.js';
import { requiredText } from '../../ui/scripting.js';
import type { ExtensionServices, Feature } from '../../ui/services.js';
import { updateDoor } from './doorPlace.js';
import { startGateway } from './startGateway.js';

type Services = Pick<ExtensionServices, 'commands' | 'consent' | 'funnel' | 'gateway' | 'settings'>;

/** The gateway for agents outside of VS Code: its commands, and its start with the window. */
export const gatewayFeature: Feature = {
  name: 'gateway',
  register(deck): Disposable {
    const store = new DisposableStore();
    const { commands } = deck;
    store.add(commands.defineCommand(commandIds.startGateway, (invocation) => start(deck, invocation)));
    store.add(commands.defineCommand(commandIds.stopGateway, (invocation) => stop(deck, invocation)));
    store.add(
      commands.defineCommand(commandIds.connectAgent, async (invocation) =>
        (await import('./connectAgent.js')).connectAgent(deck, invocation),
      ),
    );
    store.add(commands.defineCommand(commandIds.copyGatewayConfiguration, (invocation) => copy(deck, invocation)));
    store.add(commands.defineCommand(commandIds.rotateGatewayToken, () => rotate(deck)));
    store.add(commands.defineCommand(commandIds.forgetAgent, (invocation) => forget(deck, invocation)));
    store.add(followSetting(deck));
    updateDoor(deck).catch((error: unknown) => deck.log.write('warn', `Door: ${messageOf(error)}`));
    store.add(commands.defineCommand(commandIds.reviewAgentTexts, () => reviewTexts(deck)));
    return store;
  },
};

/** Starts and stops the gateway when the setting changes. Only the user's own settings can enable it. */
function followSetting({ gateway, settings, funnel }: Services): Disposable {
  let isOn = false;
  const follow = () => {
    const wasOn = isOn;
    isOn = settings.startsGateway();
    if (isOn === wasOn) return;
    const work: Promise<unknown> = isOn ? gateway.start() : gateway.stop();
    work.catch((error: unknown) => funnel.show(error));
  };
  follow();
  return settings.onDidChange(follow);
}

async function start({ gateway, consent }: Services, invocation: Invocation): Promise<{ url: string }> {
  if (!gateway.opened)
    await askToWiden(consent.audit, invocation, {
      message: vscode.l10n.t('Start the gateway in this window?'),
      detail: vscode.l10n.t(
        'Programs on this computer, such as coding agents, can then connect to your MCP servers with a token. You approve each new agent, and your rules apply to each of its calls. The gateway stops when you stop it or close the window.',
      ),
      page: 'agents',
      go: vscode.l10n.t('Start Gateway'),
    });
  const { url } = await startGateway({ gateway, consent }, invocation);
  const button = vscode.l10n.t('Copy Configuration…');
  // The command asks the user, because any program can press the button of a notification.
  void showInformation(vscode.l10n.t('The gateway runs at {0}.', url), button).then((chosen) =>
    chosen === button ? vscode.commands.executeCommand(commandIds.copyGatewayConfiguration) : undefined,
  );
  return { url };
}

async function stop({ gateway, consent }: Services, invocation: Invocation): Promise<void> {
  if (!gateway.opened) return;
  await gateway.stop();
  consent.audit.note({ event: 'gateway', outcome: 'stopped', caller: auditCallerOf(invocation) });
}

/**
 * Copies an entry, with the token, for the configuration of an agent. Asks the user unless the user pressed a button of
 * MCP Deck, because any program can run the command and read the clipboard.
 */
async function copy({ gateway, consent }: Services, invocation: Invocation): Promise<void> {
  const { opened } = gateway;
  if (!opened) throw notRunning();
  await askUnlessProven(consent.audit, invocation, {
    message: vscode.l10n.t('Copy the URL and the token of the gateway?'),
    detail: vscode.l10n.t(
      'A program with the token can connect to the gateway. Paste it only into the configuration of an agent that you trust.',
    ),
    page: 'agents',
    go: vscode.l10n.t('Copy Configuration'),
  });
  const entry = {
    type: 'http',
    url: opened.url,
    headers: { Authorization: `Bearer ${await gateway.token()}` },
  };
  await vscode.env.clipboard.writeText(`${JSON.stringify({ mcpServers: { 'mcp-deck': entry } }, undefined, 2)}\n`);
  vscode.window.setStatusBarMessage(vscode.l10n.t('Copied the configuration with the token'), 5_000);
}

async function rotate({ gateway }: Services): Promise<void> {
  await gateway.rotateToken();
  vscode.window.setStatusBarMessage(
    vscode.l10n.t('The token was replaced. If you copied the configuration into an agent, copy it again.'),
    8_000,
  );
}

async function forget({ gateway }: Services, { target, call }: Invocation<'forgetAgent'>): Promise<void> {
  const name = call
    ? requiredText(call, 'agent', '{ "agent": "name" }')
    : (target?.agent ?? (await pickAgent(gateway)));
  await gateway.forget(name);
}

/**
 * Asks for approval of the tool names and descriptions that the workspace defines, until none is left. Rejects with
 * `cancelled` if the user does not agree.
 */
async function reviewTexts({ gateway, consent }: Services): Promise<void> {
  if (gateway.waitingTexts.length === 0)
    throw new UserError(vscode.l10n.t('No tool names or descriptions are waiting for your approval.'));
  while (gateway.waitingTexts.length > 0) {
    const { message, detail, overrides } = agentTextsQuestion(gateway.waitingTexts);
    const isAgreed = await askSafely({
      message,
      detail,
      page: 'agents',
      go: vscode.l10n.t('Show Texts to Agents'),
    });
    const outcome = isAgreed ? 'allowed' : 'refused';
    consent.audit.note({ event: 'agent-texts', tools: overrides.map(({ tool }) => tool), outcome });
    if (!isAgreed) throw new HostError('cancelled', 'The user did not agree.');
    await gateway.approveTexts(overrides);
  }
}

async function pickAgent({ opened, absent }: Services['gateway']): Promise<string> {
  const names = new Set([...(opened?.clients.list ?? []), ...absent].map(({ name }) => name));
  if (names.size === 0) throw new UserError(vscode.l10n.t('No agent has been approved in this workspace.'));
  const picked = await vscode.window.showQuickPick([...names], { title: vscode.l10n.t('Forget Agent') });
  if (picked === undefined) throw new HostError('cancelled', 'No agent was picked.');
  return picked;
}

function notRunning(): UserError {
  return new UserError(vscode.l10n.t('The gateway is off. Start it first.'));
}
