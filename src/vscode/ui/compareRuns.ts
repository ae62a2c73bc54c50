import * as vscode from 'vscode';
import { UserError } from '../../core/base/hostError.js';
import { visibleLine } from '../../core/base/hostileText.js';
import type { ResultDocument } from '../../core/present/result/toolResult.js';
import { presentToolResult } from '../../core/present/result/toolResult.js';
import { runTime } from '../../core/present/tree/runNodes.js';
import type { ExtensionServices } from './services.js';

/** Opens the texts of two results side by side. The older one is on the left. */
export async function compareRuns(
  deck: Pick<ExtensionServices, 'results' | 'runLog'>,
  first: string,
  second: string,
): Promise<void> {
  const sides = [sideOf(deck, first), sideOf(deck, second)].sort((a, b) => a.startedAt - b.startedAt);
  const [left, right] = await Promise.all(
    sides.map(async (side) => {
      const document = await side.document();
      if (!document) throw new UserError(vscode.l10n.t('The result from {0} is no longer available.', side.time));
      return { ...side, uri: await deck.results.documentFor(side.title, document) };
    }),
  );
  if (!left || !right) return;
  const name = left.tool === right.tool ? left.tool : `${left.tool} ↔ ${right.tool}`;
  await vscode.commands.executeCommand(
    'vscode.diff',
    left.uri,
    right.uri,
    vscode.l10n.t('{0}: {1} ↔ {2}', visibleLine(name, 80), left.time, right.time),
    { preview: true },
  );
}

interface Side {
  tool: string;
  title: string;
  startedAt: number;
  time: string;
  document(): Promise<ResultDocument | undefined>;
}

/** Returns the result if this window still has it. Otherwise, returns the text from the history. */
function sideOf({ runLog }: Pick<ExtensionServices, 'runLog'>, id: string): Side {
  const record = runLog.history.run(id);
  if (!record) throw new UserError(vscode.l10n.t('This run is no longer in the history.'));
  const { server, tool, startedAt } = record;
  const time = runTime(startedAt, Date.now(), vscode.env.language);
  return {
    tool,
    title: `${visibleLine(tool, 80)} ${time}`,
    startedAt,
    time,
    async document() {
      const kept = runLog.find(id);
      if (kept) return presentToolResult(kept.result, { server, tool }).document;
      return textDocument(await runLog.history.textOf(id));
    },
  };
}

/** Returns a text from the history as a document. */
export function textDocument(text: string | undefined): ResultDocument | undefined {
  return text === undefined
    ? undefined
    : { languageId: /^\s*[[{]/.test(text) ? 'json' : 'plaintext', length: text.length, pieces: () => [text] };
}
