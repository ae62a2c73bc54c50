import * as vscode from 'vscode';
import { UserError } from '../../core/base/hostError.js';
import type { ConfigSource, SourcePosition } from '../../core/config/serverDefinition.js';
import type { SettingKey } from '../manifest.js';

/** Opens the file or setting that contains a definition, at the position of the definition. */
export async function openSource(source: ConfigSource, position?: SourcePosition): Promise<void> {
  if (source.fileUri !== undefined) {
    await vscode.window.showTextDocument(
      vscode.Uri.parse(source.fileUri, true),
      position ? { selection: rangeOf(position) } : {},
    );
    return;
  }
  if (source.kind === 'scratch')
    throw new UserError(
      vscode.l10n.t('A scratch server is not saved anywhere. Use "Keep It…" in its context menu to save it.'),
    );
  if (source.kind === 'builtin') {
    await vscode.commands.executeCommand('workbench.action.openSettings', '@id:mcpDeck.builtInServer.enabled');
    return;
  }
  await vscode.commands.executeCommand('workbench.action.openApplicationSettingsJson', {
    revealSetting: { key: 'mcpDeck.servers' satisfies SettingKey },
  });
}

/** The range of a position in a configuration file. */
export function rangeOf(position: SourcePosition): vscode.Range {
  return new vscode.Range(position.line, position.character, position.endLine, position.endCharacter);
}
