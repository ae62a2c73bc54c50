import type * as vscode from 'vscode';
import type { FoundGroup, UnreadableFile } from '../../../core/interchange/foundApps.js';
import { readFoundFile } from '../../../core/interchange/foundApps.js';
import { configurationFileSources } from '../../adapters/configurationFiles.js';
import { appFilesHere } from '../../ui/appFileText.js';

/** Reads the servers in the files of all apps. Leaves out the files that MCP Deck already uses as sources. */
export async function findApps(extension: vscode.ExtensionContext): Promise<(FoundGroup | UnreadableFile)[]> {
  const own = new Set(configurationFileSources().map(({ uri }) => uri.fsPath));
  const files = (await appFilesHere(extension)).filter((file) => !own.has(file.path));
  return (await Promise.all(files.map(readFoundFile))).flat();
}
