import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { UserError } from '../../../core/base/hostError.js';
import { visibleName } from '../../../core/base/visibleName.js';
import { callArgumentsText } from '../../../core/present/questions/callQuestion.js';
import { dialogPart } from '../../../core/present/text/lines.js';
import type { LinkedCall } from '../../../core/present/text/runLinks.js';
import { readLink, runPath } from '../../../core/present/text/runLinks.js';
import { namedServer } from '../../ui/chooseServer.js';
import { ToolRunner } from './runTool.js';
import type { Feature } from '../../ui/services.js';
import { showWarning } from '../../adapters/userMessages.js';

/**
 * Maximum length of the arguments that the dialog shows, in characters. If they are longer, the user can only open the
 * tool panel, which shows all of them.
 */
const maxShownLength = 1_500;

/**
 * `vscode://…/run?server=…&tool=…&arguments=…`: runs a tool after the user has seen the whole call and agreed, because
 * any program can create such a link.
 */
export const runLinkRoute: Feature = {
  name: 'links that run a tool',
  register(deck): Disposable {
    const runner = new ToolRunner(deck);
    return deck.uris.register(runPath, async ({ query }) => {
      const call = readLink(query);
      if ('problem' in call) throw new UserError(vscode.l10n.t('The link cannot be used. {0}', call.problem));
      const { id } = namedServer(deck.host.servers, call.server);
      const answer = await ask(call);
      if (answer === 'edit') deck.toolPanels.open({ server: id, tool: call.tool }, { values: call.arguments });
      if (answer === 'run') await runner.repeat({ ...call, server: id, omitted: [] }, 'user');
    });
  },
};

async function ask(call: LinkedCall): Promise<'run' | 'edit' | undefined> {
  const text = callArgumentsText(call.arguments);
  const isShown = dialogPart(text, maxShownLength) === text;
  const lines = [
    vscode.l10n.t('Server: {0}', visibleName(call.server, 200)),
    vscode.l10n.t('Tool: {0}', visibleName(call.tool, 200)),
    isShown
      ? vscode.l10n.t('Arguments: {0}', text)
      : vscode.l10n.t(
          'The arguments have {0} characters, which is too many to show here. The tool panel shows all of them.',
          text.length,
        ),
  ];
  const edit: vscode.MessageItem = { title: vscode.l10n.t('Open Tool Panel') };
  const run: vscode.MessageItem = { title: vscode.l10n.t('Run Tool') };
  // Pressing Enter chooses the first button, so the first button must not run the tool.
  const answer = await showWarning(
    vscode.l10n.t('A link asks to run a tool. Run the tool?'),
    { modal: true, detail: lines.join('\n') },
    edit,
    ...(isShown ? [run] : []),
  );
  return answer === run ? 'run' : answer === edit ? 'edit' : undefined;
}
