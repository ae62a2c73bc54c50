import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { DisposableStore } from '../../../core/base/disposable.js';
import { HostError, UserError } from '../../../core/base/hostError.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import { promptPickRows } from '../../../core/present/chat/toolPick.js';
import type { GetPromptResult } from '../../../core/protocol/mcp.js';
import type { ExtensionServices, Feature } from '../../ui/services.js';
import type { Invocation } from '../../ui/invocation.js';
import type { CommandId } from '../../manifest.js';
import { commandIds } from '../../manifest.js';
import type { ResultRequest } from '../../../shared/result/resultRequest.js';
import { chooseTarget } from '../../ui/pickTarget.js';
import { ScriptCalls } from '../../ui/scripting.js';

/** The commands for the active prompt panel, each with the request of the button that does the same. */
const uses: readonly [CommandId, ResultRequest['type']][] = [
  [commandIds.openMessages, 'openInEditor'],
  [commandIds.insertMessages, 'insertAtCursor'],
  [commandIds.copyMessages, 'copy'],
  [commandIds.sendMessagesToChat, 'sendToChat'],
];

export const getPromptCommands: Feature = {
  name: 'prompt commands',
  register(deck): Disposable {
    const store = new DisposableStore();
    store.add(deck.commands.defineCommand(commandIds.getPrompt, (invocation) => getPrompt(deck, invocation)));
    for (const [id, type] of uses) store.add(deck.commands.defineCommand(id, () => useMessages(deck, type)));
    return store;
  },
};

/** Opens the panel of a prompt. A script gets the plain result. */
async function getPrompt(
  deck: Pick<ExtensionServices, 'host' | 'promptPanels' | 'schemas'>,
  { call, target }: Invocation,
): Promise<GetPromptResult | undefined> {
  const { host } = deck;
  if (call) return new ScriptCalls(host, deck.schemas).getPrompt(call);
  const clicked =
    target?.server !== undefined && target.prompt !== undefined
      ? { server: target.server, name: target.prompt }
      : undefined;
  const { server, name } = await chooseTarget(host, clicked, {
    title: vscode.l10n.t('Get Prompt'),
    placeholder: vscode.l10n.t('Type part of the name, the server, or the description'),
    noneMessage: vscode.l10n.t('No running server offers prompts.'),
    rows: () =>
      promptPickRows(
        host.servers.list().filter(({ id }) => target?.server === undefined || id === target.server),
        Date.now(),
      ),
  });
  if (!host.servers.get(server)?.features?.prompts.some((prompt) => prompt.name === name))
    throw new HostError('unknown-prompt', `The server "${server}" has no prompt "${visibleLine(name, 80)}".`, {
      data: { server, prompt: name },
    });
  deck.promptPanels.open(server, name);
  return undefined;
}

function useMessages(deck: Pick<ExtensionServices, 'promptPanels'>, type: ResultRequest['type']): Promise<void> {
  const panel = deck.promptPanels.active;
  if (!panel) return Promise.reject(new UserError(vscode.l10n.t('No prompt is open. Get a prompt first.')));
  panel.actOnMessages(type);
  return Promise.resolve();
}
