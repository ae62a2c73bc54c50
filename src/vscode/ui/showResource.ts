import * as vscode from 'vscode';
import { visibleLine } from '../../core/base/hostileText.js';
import type { CallOptions } from '../../core/catalog/hostTypes.js';
import type { HostApi } from '../../core/host/hostApi.js';
import { filePath } from '../../core/resources/resourceFolders.js';
import type { ResourceFiles } from '../../core/resources/resourceFiles.js';
import type { ResourceAddress } from '../../core/resources/resourcePath.js';
import { concerning } from './commandFunnel.js';
import { withRunProgress } from './runProgress.js';
import { resourceScheme } from '../manifest.js';

/** The services that are needed to read a resource. */
export interface ResourceReader {
  readonly host: Pick<HostApi, 'servers'>;
  readonly resources: ResourceFiles;
}

/**
 * Reads a resource and shows progress that the user can cancel. The content is kept for the editor that opens the URI.
 */
export function readToOpen(reader: ResourceReader, address: ResourceAddress): Promise<vscode.Uri> {
  const title = vscode.l10n.t('Reading {0}', visibleLine(address.uri, 80));
  return withRunProgress(title, (options) => concerning(address.server, readFile(reader, address, options)));
}

/** Like `readToOpen`, but without progress. */
export async function readFile(
  { host, resources }: ResourceReader,
  address: ResourceAddress,
  options: CallOptions,
): Promise<vscode.Uri> {
  const { extension } = await resources.prepare(address, options);
  return vscode.Uri.from({ scheme: resourceScheme, path: filePath(host.servers, address, extension) });
}

/** Opens the resource in the editor that matches its type. */
export async function showResource(uri: vscode.Uri, viewColumn: vscode.ViewColumn): Promise<void> {
  await vscode.commands.executeCommand('vscode.open', uri, {
    preview: true,
    viewColumn,
  } satisfies vscode.TextDocumentShowOptions);
}
