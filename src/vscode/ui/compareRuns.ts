import * as vscode from 'vscode';
import { UserError } from '../../core/base/hostError.js';
import { visibleLine } from '../../core/base/hostileText.js';
import { compareFiles } from '../../core/present/result/compareFiles.js';
import type { PresentedResult, ResultDocument, ResultFile } from '../../core/present/result/resultPage.js';
import { presentToolResult } from '../../core/present/result/toolResult.js';
import { fileNameOf } from '../../core/present/text/fileName.js';
import { runTime } from '../../core/present/text/runTexts.js';
import type { ExtensionServices } from './services.js';

/** Maximum number of pairs of images that open. */
const maxPairs = 4;

/** Opens two results side by side: their texts, and the images that differ. The older one is on the left. */
export async function compareRuns(
  deck: Pick<ExtensionServices, 'results' | 'runLog'>,
  first: string,
  second: string,
): Promise<void> {
  const sides = [sideOf(deck, first), sideOf(deck, second)].sort((a, b) => a.startedAt - b.startedAt);
  const [left, right] = await Promise.all(sides.map(async (side) => ({ ...side, ...(await side.content()) })));
  if (!left || !right) return;
  const name = visibleLine(left.tool === right.tool ? left.tool : `${left.tool} ↔ ${right.tool}`, 80);
  const title = vscode.l10n.t('{0}: {1} ↔ {2}', name, left.time, right.time);
  const { pairs: different, isSameCount } = compareFiles(left.files, right.files);
  const pairs = different.slice(0, maxPairs);
  if (left.document && right.document)
    await openPair(
      await deck.results.documentFor(left.title, left.document),
      await deck.results.documentFor(right.title, right.document),
      title,
    );
  else if (pairs.length === 0) throw new UserError(reasonOf(left, right, isSameCount));
  for (const [before, after] of pairs) {
    const isOnly = pairs.length === 1;
    const [one] = await deck.results.filesFor(left.title, [named(before, vscode.l10n.t('earlier run'), left, isOnly)]);
    const [other] = await deck.results.filesFor(right.title, [named(after, vscode.l10n.t('later run'), right, isOnly)]);
    if (one && other) await openPair(one, other, title);
  }
}

async function openPair(left: vscode.Uri, right: vscode.Uri, title: string): Promise<void> {
  await vscode.commands.executeCommand('vscode.diff', left, right, title, { preview: true });
}

/**
 * Puts the time of the run, and whether it is the earlier or the later one, into the file name of an image, because a
 * tab that compares two images shows only their file names. Two runs can have the same time. Colons are replaced,
 * because a file name cannot contain them.
 */
function named({ name, bytes }: ResultFile, which: string, { time }: Side, isOnly: boolean): ResultFile {
  const at = name.lastIndexOf('.');
  const [base, extension] = at < 0 ? [name, ''] : [name.slice(0, at), name.slice(at)];
  const parts = [which, time.replaceAll(':', '.').replace(/\s+/g, ' '), ...(isOnly ? [] : [base])];
  return { name: `${fileNameOf(parts.join(' '))}${extension}`, bytes };
}

interface Side {
  /** The title of the tool, or its name. */
  tool: string;
  title: string;
  startedAt: number;
  time: string;
  content(): Promise<Content>;
}

interface Content extends Pick<PresentedResult, 'document' | 'files'> {
  /** Whether this window still has the whole result. If not, only the text from the history is available. */
  isWhole: boolean;
}

/** Why no comparison of two results opens. */
function reasonOf(left: Side & Content, right: Side & Content, isSameCount: boolean): string {
  const empty = [left, right].find(({ document, files }) => !document && files.length === 0);
  if (empty)
    return empty.isWhole
      ? vscode.l10n.t('The run at {0} returned nothing to compare.', empty.time)
      : vscode.l10n.t(
          'The text of the run at {0} is not stored. Images are available only until the window closes.',
          empty.time,
        );
  if (!left.document && !right.document)
    return isSameCount
      ? vscode.l10n.t('Both runs returned the same images or files.')
      : vscode.l10n.t(
          'The run at {0} returned {1} images or files, and the run at {2} returned {3}. Those that both returned are the same.',
          left.time,
          left.files.length,
          right.time,
          right.files.length,
        );
  return vscode.l10n.t('One of the runs returned text, and the other returned images or files.');
}

/** Returns the result if this window still has it. Otherwise, returns the text from the history. */
function sideOf({ runLog }: Pick<ExtensionServices, 'runLog'>, id: string): Side {
  const record = runLog.history.run(id);
  if (!record) throw new UserError(vscode.l10n.t('This run is no longer in the history.'));
  const { server, tool, startedAt } = record;
  const name = record.title ?? tool;
  const time = runTime(startedAt, Date.now(), vscode.env.language);
  return {
    tool: name,
    title: `${visibleLine(name, 80)} ${time}`,
    startedAt,
    time,
    async content() {
      const kept = runLog.find(id);
      if (kept) {
        const { document, files } = presentToolResult(kept.result, { server, tool });
        return { ...(document ? { document } : {}), files, isWhole: true };
      }
      const document = textDocument(await runLog.history.resultText(id));
      return { ...(document ? { document } : {}), files: [], isWhole: false };
    },
  };
}

/** Returns a text from the history as a document. */
function textDocument(text: string | undefined): ResultDocument | undefined {
  return text === undefined
    ? undefined
    : { languageId: /^\s*[[{]/.test(text) ? 'json' : 'plaintext', length: text.length, pieces: () => [text] };
}
