import path from 'node:path';
import * as vscode from 'vscode';
import type { Disposable } from '../../core/base/disposable.js';
import { DisposableStore } from '../../core/base/disposable.js';
import { HostError } from '../../core/base/hostError.js';
import { visibleLine } from '../../core/base/hostileText.js';
import { copyName, copyTarget, saveCopy } from '../../core/resources/saveCopy.js';
import { resourceFile } from '../../core/resources/resourceFile.js';
import type { ResourceAddress } from '../../core/resources/resourcePath.js';
import { askToWrite } from './confirm.js';
import { concerning } from './commandFunnel.js';
import { withRunProgress } from './runProgress.js';
import { ScriptCalls, requiredText } from './scripting.js';
import type { ExtensionServices, Feature } from './services.js';
import type { ArgumentObject, Invocation } from './invocation.js';
import { commandIds } from '../manifest.js';
import { writeWholeFile } from '../adapters/storage.js';
import { chooseOpenResource } from './chooseResource.js';

/** Commands that save a resource to a file on disk or copy its URI to the clipboard. */
export const copyResourceCommands: Feature = {
  name: 'copy resource commands',
  register(deck): Disposable {
    const store = new DisposableStore();
    store.add(deck.commands.defineCommand(commandIds.saveResource, (invocation) => save(deck, invocation)));
    store.add(
      deck.commands.defineCommand(commandIds.copyResourceUri, async (invocation) => {
        const { uri, uriTemplate } = invocation.target ?? {};
        await vscode.env.clipboard.writeText(
          uri ?? uriTemplate ?? (await chooseOpenResource(deck, invocation, vscode.l10n.t('Copy Resource URI'))).uri,
        );
      }),
    );
    return store;
  },
};

/** @returns the path of the copy. */
async function save(
  deck: Pick<ExtensionServices, 'consent' | 'host' | 'schemas' | 'templatePanels'>,
  invocation: Invocation,
): Promise<string> {
  const { call } = invocation;
  if (call) return saveFor(deck, invocation, call);
  const address = await chooseOpenResource(deck, invocation, vscode.l10n.t('Save Resource As'));
  const { name, bytes } = await readWhole(deck, address);
  const saved = await concerning(address.server, saveWhereAsked(name, bytes));
  if (saved === undefined) throw new HostError('cancelled', 'No place was chosen.');
  return saved;
}

/**
 * Asks for a path with a safe suggested name, and saves content from a server at that path. Returns the path, or
 * undefined if the user cancels.
 */
export async function saveWhereAsked(name: string, bytes: Uint8Array): Promise<string | undefined> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const chosen = await vscode.window.showSaveDialog({
    title: vscode.l10n.t('Save a Copy of {0}', name),
    ...(folder ? { defaultUri: vscode.Uri.joinPath(folder, name) } : {}),
  });
  if (!chosen) return undefined;
  if (chosen.scheme !== 'file') {
    await writeWholeFile(chosen, bytes);
    return chosen.toString();
  }
  // The save dialog has already asked whether to replace an existing file.
  return saveCopy({ ...placeOf(chosen), mayReplace: true }, bytes);
}

function placeOf(chosen: vscode.Uri): { folder: string; name: string } {
  return {
    folder: vscode.Uri.joinPath(chosen, '..').fsPath,
    name: chosen.path.slice(chosen.path.lastIndexOf('/') + 1),
  };
}

async function saveFor(
  deck: Pick<ExtensionServices, 'consent' | 'host' | 'schemas'>,
  invocation: Invocation,
  call: ArgumentObject<'saveResource'>,
): Promise<string> {
  const example = '{ "server": "name", "uri": "file:///…", "folder": "/path" }';
  const folder = requiredText(call, 'folder', example);
  const uri = requiredText(call, 'uri', example);
  const result = await new ScriptCalls(deck.host, deck.schemas).readResource(call);
  const { bytes, extension } = resourceFile(uri, result);
  const name = copyName(uri, extension);
  const mayReplace = call.replace === true;
  // Symbolic links are resolved once, so that the question and the write use the same path.
  const target = await copyTarget(folder, name);
  await askToWrite(deck.consent.audit, invocation, target, mayReplace);
  return concerning(String(call.server), saveCopy({ folder: path.dirname(target), name, mayReplace }, bytes));
}

/** Reads the whole resource, even if it is too large for an editor. */
async function readWhole(
  { host }: Pick<ExtensionServices, 'host'>,
  { server, uri }: ResourceAddress,
): Promise<{ name: string; bytes: Uint8Array }> {
  const title = vscode.l10n.t('Reading {0}', visibleLine(uri, 80));
  const result = await withRunProgress(title, (options) =>
    concerning(server, host.calls.readResource({ server, uri }, options)),
  );
  const { bytes, extension } = resourceFile(uri, result);
  return { name: copyName(uri, extension), bytes };
}
