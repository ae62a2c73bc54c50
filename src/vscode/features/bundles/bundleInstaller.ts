import path from 'node:path';
import * as vscode from 'vscode';
import { HostError, UserError } from '../../../core/base/hostError.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import { runtimeProblems } from '../../../core/gallery/bundles/bundleRuntimes.js';
import type { StagedBundle } from '../../../core/gallery/bundles/bundleStore.js';
import { versionSearch } from '../../../core/gallery/bundles/programVersion.js';
import { valueAt } from '../../../core/base/guards.js';
import { resolveShellEnvironment } from '../../../core/transport/stdio/shellEnvironment.js';
import { sizeText } from '../../../shared/amountText.js';
import { panelTypes } from '../../manifest.js';
import { withProgress } from '../../adapters/userMessages.js';
import type { BundleToDownload } from '../../ui/pages.js';
import type { ExtensionServices } from '../../ui/services.js';
import type { BundleToInstall } from './bundlePage.js';
import { BundlePage } from './bundlePage.js';

/** Copies and checks a file, and opens its page. Nothing is unpacked or run. */
export async function openBundleFile(deck: ExtensionServices, file: string): Promise<void> {
  const staged = await withCancel(vscode.l10n.t('Checking "{0}"…', visibleLine(path.basename(file), 60)), (signal) =>
    deck.bundles.openFile(file, signal),
  );
  await openPage(deck, staged, { from: file });
}

/** Downloads and checks a file, and opens its page. Nothing is unpacked or run. */
export async function downloadBundle(deck: ExtensionServices, download: BundleToDownload): Promise<void> {
  const { url, sha256, label, headers, origin, updates } = download;
  const staged = await withCancel(vscode.l10n.t('Downloading "{0}"…', visibleLine(label, 60)), (signal, report) =>
    deck.bundles.download({
      url,
      sha256,
      label,
      signal,
      ...(headers === undefined ? {} : { headers }),
      userAgent: `${deck.client.name}/${deck.client.version}`,
      onBytes: (bytes) => report(sizeText(bytes)),
    }),
  );
  await openPage(deck, staged, {
    from: url,
    ...(origin === undefined ? {} : { origin }),
    ...(updates === undefined ? {} : { updates }),
  });
}

async function openPage(
  deck: ExtensionServices,
  staged: StagedBundle,
  facts: Pick<BundleToInstall, 'from' | 'origin' | 'updates'>,
): Promise<void> {
  const command = valueAt(staged.info.manifest, ['server', 'mcp_config', 'command']);
  const { env } = await resolveShellEnvironment({ env: process.env, platform: process.platform });
  const problems = await runtimeProblems(
    staged.info,
    typeof command === 'string' ? command : '',
    versionSearch(env, process.platform),
  );
  // The page belongs to a file in a temporary folder, so it is not restored after the window reloads.
  const panel = vscode.window.createWebviewPanel(panelTypes.edit, '', vscode.ViewColumn.Active, {});
  new BundlePage(deck, panel, { staged, problems, ...facts });
}

/** Runs work with a progress notification in which the user can cancel the work. */
function withCancel<T>(
  title: string,
  work: (signal: AbortSignal, report: (message: string) => void) => Promise<T>,
): Promise<T> {
  const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  return Promise.resolve(
    withProgress(options, (progress, token) => {
      const abort = new AbortController();
      token.onCancellationRequested(() => abort.abort(new HostError('cancelled', 'The user canceled.')));
      return work(abort.signal, (message) => progress.report({ message }));
    }),
  );
}

/** The path of a file that VS Code passes to a command. @throws UserError if the file is not on disk. */
export function diskPath(uri: vscode.Uri): string {
  if (uri.scheme === 'file') return uri.fsPath;
  throw new UserError(
    vscode.l10n.t(
      '"{0}" is not a file on disk. Save a copy to the disk first.',
      visibleLine(path.posix.basename(uri.path)),
    ),
  );
}
