import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { visibleLine } from '../../core/base/hostileText.js';
import { favouriteName } from '../../core/present/text/runTexts.js';
import { storageFailure } from '../../core/base/storageFailure.js';
import type { ExtensionServices } from './services.js';
import type { SavedCall } from './chooseRun.js';
import { showLineInput } from '../adapters/userMessages.js';

/** Asks for a name and stores the call as a favorite with that name. */
export async function nameFavourite({ runLog }: Pick<ExtensionServices, 'runLog'>, call: SavedCall): Promise<void> {
  const names = runLog.history.favourites().map((favourite) => favourite.name);
  const name = await showLineInput({
    title: vscode.l10n.t('Add to Favorites'),
    prompt: vscode.l10n.t('The name that the Runs view and the list of tasks show'),
    value: favouriteName(runLog.titleOf(call) ?? call.tool, call.arguments, new Set(names)),
    validateInput: (text) => nameProblem(runLog, text),
  });
  if (name === undefined) return;
  runLog.history.addFavourite(randomUUID(), name, call);
  await saveFavourites(runLog, call.server);
}

/**
 * Waits until the favorites are stored. Rejects with HostError `storage-failed` if that fails; the change then applies
 * only until the window closes.
 */
export async function saveFavourites({ history }: ExtensionServices['runLog'], server: string): Promise<void> {
  try {
    await history.saved();
  } catch (error) {
    throw storageFailure(error, {
      operation: 'write',
      thing: vscode.l10n.t('The list of runs and favorites'),
      server,
      isKept: true,
    });
  }
}

/** The problem of a name; undefined if it is valid. `own` is the ID of the favorite that is renamed. */
export function nameProblem({ history }: ExtensionServices['runLog'], text: string, own?: string): string | undefined {
  const name = visibleLine(text, 100);
  if (name === '') return vscode.l10n.t('Enter a name.');
  return history.favourites().some((other) => other.name === name && other.id !== own)
    ? vscode.l10n.t('Another favorite has this name.')
    : undefined;
}
