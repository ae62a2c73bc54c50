import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { visibleLine } from '../core/base/hostileText.js';
import type { Audit } from '../core/consent/audit.js';
import { askToWiden } from './askForCommand.js';
import type { Invocation } from './invocation.js';

/**
 * Asks before a command with arguments writes a file: it can name any place, and what is written came from a server. The
 * question shows the whole path, with links followed, and says whether a file is replaced. Rejects with `cancelled`.
 * @param mayReplace false: a file that is there stays, which its writer says, so nothing is asked about it.
 */
export async function askToWrite(audit: Audit, invocation: Invocation, file: string, mayReplace = true): Promise<void> {
  const isThere = await stat(file).then(
    () => true,
    () => false,
  );
  if (isThere && !mayReplace) return;
  const name = visibleLine(path.basename(file), 120);
  const place = visibleLine(await realPlace(file), 4_000);
  await askToWiden(audit, invocation, {
    message: isThere ? vscode.l10n.t('Replace the file "{0}"?', name) : vscode.l10n.t('Write the file "{0}"?', name),
    detail: isThere ? vscode.l10n.t('It is at {0}. What it holds now is lost.', place) : vscode.l10n.t('It is written to {0}.', place),
    go: isThere ? vscode.l10n.t('Replace') : vscode.l10n.t('Write File'),
  });
}

/** A folder that does not exist has no links to follow. */
async function realPlace(file: string): Promise<string> {
  const whole = path.resolve(file);
  const folder = await realpath(path.dirname(whole)).catch(() => path.dirname(whole));
  return path.join(folder, path.basename(whole));
}
