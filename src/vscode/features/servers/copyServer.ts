import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { DisposableStore } from '../../../core/base/disposable.js';
import type { ServerView } from '../../../core/catalog/hostTypes.js';
import { copiedJson, copiedLine } from '../../../core/details/copiedServer.js';
import { chooseServer } from '../../ui/chooseServer.js';
import { copyText } from '../../adapters/userMessages.js';
import type { Feature } from '../../ui/services.js';
import { commandIds } from '../../manifest.js';

/** Copies the definition of a server. Values that may be secret are not copied. */
export const copyServerCommands: Feature = {
  name: 'copy server commands',
  register({ commands, host }): Disposable {
    const store = new DisposableStore();
    const define = (
      id: typeof commandIds.copyServerJson | typeof commandIds.copyServerLine,
      exportedText: (entry: ServerView['entry'], secrets: readonly string[]) => string | undefined,
    ) =>
      store.add(
        commands.defineCommand(id, async (invocation) => {
          const view = await chooseServer(host.servers, invocation, {
            title: vscode.l10n.t('Copy Server'),
            isCandidate: ({ entry }) => entry.definition.type !== 'builtin',
            noneMessage: vscode.l10n.t('No server is configured.'),
          });
          const text = exportedText(view.entry, host.servers.secretValues(view.id));
          if (text !== undefined) await copyText(text);
        }),
      );
    define(commandIds.copyServerJson, copiedJson);
    define(commandIds.copyServerLine, (entry, secrets) => copiedLine(entry, secrets, process.platform));
    return store;
  },
};
