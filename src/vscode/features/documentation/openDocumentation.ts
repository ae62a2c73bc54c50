import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { HostError, UserError } from '../../../core/base/hostError.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import type { Feature } from '../../ui/services.js';
import { commandIds } from '../../manifest.js';

/** The file of the contents page, which is listed first. */
const contentsFile = 'README.md';
const markdownExtension = 'vscode.markdown-language-features';

/** Opens a page of the documentation in the extension package. The page is chosen by name or from a list. */
export const documentationCommand: Feature = {
  name: 'documentation command',
  register({ commands, extension }): Disposable {
    const folder = vscode.Uri.joinPath(extension.extensionUri, 'dist', 'docs');
    return commands.defineCommand(commandIds.openDocumentation, async ({ call }) => {
      const files = await pageFiles(folder);
      const page = call?.page;
      await show(
        vscode.Uri.joinPath(folder, page === undefined ? await choose(folder, files) : namedFile(files, page)),
      );
    });
  },
};

async function pageFiles(folder: vscode.Uri): Promise<string[]> {
  const entries = await vscode.workspace.fs.readDirectory(folder);
  const files = entries.flatMap(([name]) => (name.endsWith('.md') ? [name] : []));
  return files.sort(
    (one, other) => Number(other === contentsFile) - Number(one === contentsFile) || one.localeCompare(other),
  );
}

/**
 * Finds the file of a page, for example `trace.md` for `trace`. Only names of existing pages are accepted, so an
 * argument cannot select any other file.
 */
function namedFile(files: readonly string[], page: unknown): string {
  const file = files.find((one) => one === `${String(page)}.md`);
  if (file === undefined)
    throw new UserError(vscode.l10n.t('The documentation has no page "{0}".', visibleLine(String(page), 60)));
  return file;
}

async function choose(folder: vscode.Uri, files: readonly string[]): Promise<string> {
  const items = files.map(async (file) => ({
    label: titleOf(new TextDecoder().decode(await vscode.workspace.fs.readFile(vscode.Uri.joinPath(folder, file)))),
    file,
  }));
  const picked = await vscode.window.showQuickPick(Promise.all(items), { title: vscode.l10n.t('Open Documentation') });
  if (!picked) throw new HostError('cancelled', 'No page was picked.');
  return picked.file;
}

/** The heading in the first line of a page. */
function titleOf(text: string): string {
  return text.slice(0, text.indexOf('\n')).replace(/^#+ /, '');
}

/** Opens the Markdown preview, or the text if VS Code's Markdown extension is disabled. */
async function show(uri: vscode.Uri): Promise<void> {
  if (vscode.extensions.getExtension(markdownExtension))
    await vscode.commands.executeCommand('markdown.showPreview', uri);
  else await vscode.window.showTextDocument(uri, { preview: true });
}
