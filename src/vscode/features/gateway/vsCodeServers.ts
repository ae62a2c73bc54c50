import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { DisposableStore } from '../../../core/base/disposable.js';
import { UserError } from '../../../core/base/hostError.js';
import { visibleName } from '../../../core/base/visibleName.js';
import type { ServerView } from '../../../core/catalog/hostTypes.js';
import { stateKeys } from '../../../core/base/stores.js';
import { vsCodeCopies } from '../../../core/gateway/vsCodeCopies.js';
import { showInformation } from '../../adapters/userMessages.js';
import { updateSetting } from '../../adapters/storage.js';
import { writeSetting } from '../../adapters/settings.js';
import { isOfVsCode, startsOwnServers, vsCodeServerSettings } from '../../adapters/vsCodeServerSettings.js';
import { commandIds } from '../../manifest.js';
import { askToWiden } from '../../ui/confirm.js';
import type { Invocation } from '../../ui/invocation.js';
import type { ExtensionServices, Feature } from '../../ui/services.js';

type Services = Pick<ExtensionServices, 'commands' | 'consent' | 'extension' | 'host' | 'settings' | 'state'>;

/** Turns VS Code's own copies of servers off or on, so that the agent in the chat does not get each server twice. */
export const vsCodeServersFeature: Feature = {
  name: 'vsCodeServers',
  register(deck): Disposable {
    const store = new DisposableStore();
    store.add(
      deck.commands.defineCommand(commandIds.switchVsCodeServers, (invocation) =>
        startsOwnServers() ? switchOff(deck, invocation) : switchOn(deck, invocation),
      ),
    );
    const offer = () => void offerOnce(deck);
    store.add(deck.host.servers.onDidChange(offer));
    // VS Code starts its copies when the user sends a request in the chat, and fires no event for new tools.
    store.add(vscode.window.onDidChangeWindowState(({ focused }) => (focused ? offer() : undefined)));
    let before = deck.settings.vsCodeAgent();
    store.add(
      deck.settings.onDidChange(() => {
        const now = deck.settings.vsCodeAgent();
        if (now !== before && now !== 'off') void offerFor(deck, ownServers(deck.host));
        before = now;
      }),
    );
    return store;
  },
};

async function switchOff({ consent, extension, host, settings }: Services, invocation: Invocation): Promise<void> {
  const names = namesOf(ownServers(host));
  await askToWiden(consent.audit, invocation, {
    message: vscode.l10n.t("Turn off VS Code's own MCP servers?"),
    detail: [
      ...(names === '' ? [] : [vscode.l10n.t('Both VS Code and MCP Deck can run these servers: {0}.', names)]),
      vscode.l10n.t(
        'In all workspaces, VS Code then no longer starts MCP servers for the chat automatically (setting {0}). You can still start individual servers with "MCP: List Servers". The agent in the chat gets the servers from MCP Deck.',
        vsCodeServerSettings.autoStart,
      ),
      vscode.l10n.t('Run this command again to turn them on.'),
    ].join('\n\n'),
    go: vscode.l10n.t('Turn Off'),
  });
  const former = vscode.workspace.getConfiguration().inspect(vsCodeServerSettings.autoStart)?.globalValue;
  await extension.globalState.update(stateKeys.formerAutoStart, former);
  if (settings.vsCodeAgent() === 'off') await writeSetting('mcpDeck.vsCodeAgent', 'tools');
  const copies = ownServers(host);
  await updateSetting(vsCodeServerSettings.autoStart, 'never', vscode.ConfigurationTarget.Global);
  for (const { entry } of copies)
    for (const id of idsInVsCode(entry)) await vscode.commands.executeCommand('workbench.mcp.stopServer', id);
  await vscode.commands.executeCommand('workbench.mcp.resetCachedTools');
  if (toolsInVsCode(copies).length > 0) void offerReload();
}

/**
 * VS Code keeps the tools of a stopped server until the window reloads, and starts the server again when one of them is
 * called.
 */
async function offerReload(): Promise<void> {
  const button = vscode.l10n.t('Reload Window');
  const chosen = await showInformation(
    vscode.l10n.t("VS Code's own MCP servers are off. Reload the window to remove their tools from the chat."),
    button,
  );
  if (chosen === button) await vscode.commands.executeCommand('workbench.action.reloadWindow');
}

async function switchOn({ consent, extension }: Services, invocation: Invocation): Promise<void> {
  if (vscode.workspace.getConfiguration().get(vsCodeServerSettings.access) === 'none')
    throw new UserError(
      vscode.l10n.t(
        "VS Code's own MCP servers cannot be turned on, because the setting {0} blocks all MCP servers.",
        vsCodeServerSettings.access,
      ),
    );
  await askToWiden(consent.audit, invocation, {
    message: vscode.l10n.t("Turn on VS Code's own MCP servers?"),
    detail: vscode.l10n.t(
      'When you send the next chat request, VS Code starts its own copies of the servers in .vscode/mcp.json. MCP Deck then no longer offers these servers to the agent in the chat, so the agent does not get them twice.',
    ),
    go: vscode.l10n.t('Turn On'),
  });
  const former = extension.globalState.get(stateKeys.formerAutoStart);
  await updateSetting(
    vsCodeServerSettings.autoStart,
    former === 'never' ? undefined : former,
    vscode.ConfigurationTarget.Global,
  );
  await extension.globalState.update(stateKeys.formerAutoStart, undefined);
}

/** Tells the user once for each workspace that VS Code runs a second copy of a running server. */
async function offerOnce(deck: Services): Promise<void> {
  if (deck.state.get(stateKeys.copiesTold) === true || !startsOwnServers()) return;
  const copies = toolsInVsCode(ownServers(deck.host));
  if (copies.length > 0) await offerFor(deck, copies);
}

async function offerFor({ state }: Pick<Services, 'state'>, copies: readonly ServerView[]): Promise<void> {
  if (copies.length === 0) return;
  await state.set(stateKeys.copiesTold, true);
  const button = vscode.l10n.t("Turn Off VS Code's Copies…");
  const chosen = await showInformation(
    vscode.l10n.t('VS Code also runs these servers for the agent in the chat: {0}.', namesOf(copies)),
    button,
  );
  if (chosen === button) await vscode.commands.executeCommand(commandIds.switchVsCodeServers);
}

/** The servers whose tools VS Code has from its own copies. */
function toolsInVsCode(views: readonly ServerView[]): ServerView[] {
  return vsCodeCopies(
    views,
    vscode.lm.tools.map(({ name }) => name),
  );
}

/** The enabled servers that VS Code starts itself. */
function ownServers({ servers }: Services['host']): ServerView[] {
  return servers.list().filter(({ entry }) => entry.isEnabled && isOfVsCode(entry.source));
}

function namesOf(views: readonly ServerView[]): string {
  return views.map(({ entry }) => visibleName(entry.name, 60)).join(', ');
}

/** The IDs that VS Code gives to a server of `.vscode/mcp.json` and `.mcp.json` in a folder. */
function idsInVsCode({ name, source }: ServerView['entry']): string[] {
  const folder = source.folderIndex ?? 0;
  return [`mcp.config.ws${folder}.${name}`, `workspace-dot-mcp.${folder}.${name}`];
}
