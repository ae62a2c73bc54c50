import { stat } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { visibleLine } from '../core/base/hostileText.js';
import type { Audit } from '../core/consent/audit.js';
import { askToWiden } from './askForCommand.js';
import type { Invocation } from './invocation.js';

/** Asks before a command with arguments writes over a file; resolves at once where there is none. Rejects with `cancelled`. */
export async function askToReplace(audit: Audit, invocation: Invocation, file: string): Promise<void> {
  const isThere = await stat(file).then(
    () => true,
    () => false,
  );
  if (!isThere) return;
  await askToWiden(audit, invocation, {
    message: vscode.l10n.t('Replace the file "{0}"?', visibleLine(path.basename(file), 120)),
    detail: vscode.l10n.t('It is at {0}. What it holds now is lost.', visibleLine(file, 1_000)),
    go: vscode.l10n.t('Replace'),
  });
}
