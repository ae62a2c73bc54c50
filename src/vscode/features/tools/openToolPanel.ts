import * as vscode from 'vscode';
import { isObject } from '../../../core/base/guards.js';
import { HostError } from '../../../core/base/hostError.js';
import { toolPickRows } from '../../../core/present/chat/toolPick.js';
import type { ExtensionServices, Feature } from '../../ui/services.js';
import type { ArgumentObject } from '../../ui/invocation.js';
import { commandIds } from '../../manifest.js';
import type { ToolTarget } from '../../ui/pages.js';
import { namedServer } from '../../ui/chooseServer.js';
import { pickTarget, startVisibly } from '../../ui/pickTarget.js';

/** Opens the panel of one tool. */
export const openToolPanelCommand: Feature = {
  name: 'tool panel',
  register(deck) {
    return deck.commands.defineCommand(
      commandIds.openToolPanel,
      async ({ call, target, element, isProven = false }) => {
        if (call) return openForScript(deck, call);
        const chosen =
          target?.server !== undefined && target.tool !== undefined
            ? { server: target.server, tool: target.tool }
            : await pick(deck, target?.server);
        // A click on a tree item opens a preview, like a click on a file in the Explorer.
        deck.toolPanels.open(chosen, { isPreview: element !== undefined, isByUser: isProven });
        await startVisibly(deck.host, chosen.server);
      },
    );
  },
};

/**
 * `{ server, tool, arguments? }`: opens the panel without asking. If the server needs approval, the panel shows that.
 */
function openForScript(
  deck: Pick<ExtensionServices, 'host' | 'toolPanels'>,
  call: ArgumentObject<'openToolPanel'>,
): void {
  const { id } = namedServer(deck.host.servers, call.server);
  const { tool, arguments: values } = call;
  if (typeof tool !== 'string' || tool === '' || (values !== undefined && !isObject(values))) {
    throw new HostError(
      'invalid-arguments',
      vscode.l10n.t('The argument object must contain "tool" (a string), and can contain "arguments" (an object).'),
      {
        hint: vscode.l10n.t('Pass an object such as {0}.', '{ "server": "name", "tool": "name", "arguments": {} }'),
      },
    );
  }
  deck.toolPanels.open({ server: id, tool }, values ? { values } : {});
}

async function pick(
  { host, runs }: Pick<ExtensionServices, 'host' | 'runs'>,
  server: string | undefined,
): Promise<ToolTarget> {
  const { server: id, name } = await pickTarget(host, {
    title: vscode.l10n.t('Open Tool Panel'),
    placeholder: vscode.l10n.t('Type part of the name, the server, or the description'),
    noneMessage: vscode.l10n.t('No server is configured. To add a server, run "MCP Deck: Add Server…".'),
    rows: () => {
      const servers = host.servers.list().filter((view) => server === undefined || view.id === server);
      return toolPickRows(servers, runs.recent(), Date.now());
    },
  });
  return { server: id, tool: name };
}
