import path from 'node:path';
import * as vscode from 'vscode';
import { HostError, UserError } from '../../../core/base/hostError.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import { recordingEnding } from '../../../core/testing/recording/recordingModel.js';
import type { Invocation } from '../../ui/invocation.js';

/** Maximum number of recordings of the workspace that the list offers. */
const maxFiles = 200;

/** The path of the recording that the call names, that the user clicked, or that the user selects. */
export async function chooseRecording({ call, document }: Invocation, title: string): Promise<string> {
  if (call) return namedFile((call as { file?: unknown }).file);
  if (document) {
    if (document.scheme === 'file') return document.fsPath;
    throw new UserError(vscode.l10n.t('Save the recording as a file on this machine first.'));
  }
  const found = await vscode.workspace.findFiles(`**/*${recordingEnding}`, undefined, maxFiles);
  if (found.length === 0) return browse(title);
  const items: (vscode.QuickPickItem & { uri?: vscode.Uri })[] = found
    .map((uri) => ({ label: visibleLine(vscode.workspace.asRelativePath(uri), 200), uri }))
    .sort((one, other) => one.label.localeCompare(other.label));
  items.push({ label: `$(folder-opened) ${vscode.l10n.t('Browse…')}` });
  const picked = await vscode.window.showQuickPick(items, { title, placeHolder: vscode.l10n.t('Select a recording') });
  if (!picked) throw new HostError('cancelled', 'No recording was picked.');
  return picked.uri?.fsPath ?? browse(title);
}

/** The path in the argument of a script. Throws `invalid-arguments` if there is none. */
export function namedFile(file: unknown): string {
  if (typeof file === 'string' && path.isAbsolute(file)) return file;
  throw new HostError(
    'invalid-arguments',
    vscode.l10n.t('The argument object must contain "file" (an absolute path).'),
  );
}

/** The files of recordings, for the dialogs of VS Code. */
export function recordingFilters(): Record<string, string[]> {
  return { [vscode.l10n.t('Recordings')]: [recordingEnding.slice(1)], [vscode.l10n.t('All Files')]: ['*'] };
}

async function browse(title: string): Promise<string> {
  const [picked] =
    (await vscode.window.showOpenDialog({ title, canSelectMany: false, filters: recordingFilters() })) ?? [];
  if (!picked) throw new HostError('cancelled', 'No recording was picked.');
  return picked.fsPath;
}
