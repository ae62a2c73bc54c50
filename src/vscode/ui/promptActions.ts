import * as vscode from 'vscode';
import { UserError } from '../../core/base/hostError.js';
import { visibleLine } from '../../core/base/hostileText.js';
import { chatInput } from '../../core/present/chat/chatInput.js';
import { beginningOf } from '../../core/present/text/jsonPieces.js';
import { presentPrompt } from '../../core/present/result/toolResult.js';
import type { ResultRequest } from '../../shared/result/resultRequest.js';
import type { ExtensionServices } from './services.js';
import type { GetPromptResult } from '../../core/protocol/mcp.js';
import type { PageRun } from './pageRun.js';
import type { ShownResult } from './resultActions.js';
import { actOnRaw, copyText, performOnResult, presentedBlocks } from './resultActions.js';

/**
 * Maximum length of text that is inserted into an editor or a chat, in characters. The user can open longer text as a
 * document.
 */
const maxInserted = 1 << 20;

/** Handles the buttons of prompt messages. `run` contains the shown messages. */
export function actOnMessages(
  deck: Pick<ExtensionServices, 'apps' | 'funnel' | 'results' | 'runLog' | 'workspaceValues'>,
  request: ResultRequest,
  run: PageRun<GetPromptResult> | undefined,
): void {
  perform(deck, request, run).catch((error: unknown) => deck.funnel.show(error, run?.target.server));
}

async function perform(
  deck: Pick<ExtensionServices, 'apps' | 'funnel' | 'results' | 'runLog' | 'workspaceValues'>,
  request: ResultRequest,
  run: PageRun<GetPromptResult> | undefined,
): Promise<void> {
  if (run && run.result === undefined && (request.type === 'copyRaw' || request.type === 'openRaw'))
    return actOnRaw(deck, request, run);
  if (run?.result === undefined || run.id !== request.id)
    throw new UserError(vscode.l10n.t('There are no messages yet. Get the prompt first.'));
  const shown = shownMessages(run, run.result);
  if (request.type === 'insertAtCursor') return deck.workspaceValues.insert(promptText(shown));
  if (request.type === 'copy' && request.part === undefined) return copyText([promptText(shown)]);
  if (request.type !== 'sendToChat') return performOnResult(deck, request, shown);
  // The text is put into the chat input, but not sent. Only the user can send it.
  await vscode.commands.executeCommand('workbench.action.chat.open', {
    query: chatInput(promptText(shown), vscode.l10n.t('the prompt "{0}"', visibleLine(run.target.id, 60))),
    isPartialQuery: true,
  });
}

function shownMessages(run: PageRun<GetPromptResult>, result: GetPromptResult): ShownResult {
  const { target, request, id } = run;
  const blocks = {
    server: target.server,
    name: target.id,
    result: { content: result.messages.map(({ content }) => content) },
  };
  return {
    ...blocks,
    id,
    raw: { request, response: result },
    // The server's description is left out, because it is not a message.
    presented: (part) =>
      part === undefined
        ? presentPrompt({ messages: result.messages }, { prompt: target.id })
        : presentedBlocks(blocks, part),
  };
}

/** A single message becomes plain text. If there are several messages, each one gets its role as a heading. */
function promptText({ result, presented }: ShownResult): string {
  const { document } = presented(result.content.length === 1 ? 0 : undefined);
  const { text, isWhole } = beginningOf(document?.pieces() ?? [], maxInserted);
  if (text === '') throw new UserError(vscode.l10n.t('There is no text in these messages.'));
  if (!isWhole)
    throw new UserError(vscode.l10n.t('This content is too large to insert. Open it as a document instead.'));
  return text;
}
