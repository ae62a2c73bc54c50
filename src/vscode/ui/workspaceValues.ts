import path from 'node:path';
import * as vscode from 'vscode';
import type { Disposable } from '../../core/base/disposable.js';
import { UserError } from '../../core/base/hostError.js';
import { visibleLine } from '../../core/base/hostileText.js';
import type { EditorSource, PickKind, Question, Suggestion } from '../../shared/panel/formMessages.js';

const maxFiles = 5_000;
const maxSelection = 100_000;
/**
 * Maximum length, in characters, of a selection that is suggested for single-line fields. Longer selections are
 * suggested only for multiline fields.
 */
const maxLineSelection = 200;
const maxLabel = 80;

/** How paths are written for a server. The built-in server receives relative paths, and all others absolute ones. */
export type PathStyle = 'relative' | 'absolute';

/**
 * Values of the window that the user can insert into a form: the selected text, the open files, and files and folders
 * of the workspace. Remembers the last used editor, because a form takes the focus from it.
 */
export class WorkspaceValues implements Disposable {
  private editor = vscode.window.activeTextEditor;
  private readonly changes: Disposable;

  constructor() {
    this.changes = vscode.window.onDidChangeActiveTextEditor((editor) => {
      if (editor) this.editor = editor;
    });
  }

  selection(): string | undefined {
    const editor = this.lastEditor();
    const text = editor?.document.getText(editor.selection);
    return text === undefined || text === '' || text.length > maxSelection ? undefined : text;
  }

  file(style: PathStyle): string | undefined {
    const uri = this.lastEditor()?.document.uri;
    return uri?.scheme === 'file' || (uri && vscode.workspace.getWorkspaceFolder(uri)) ? pathOf(uri, style) : undefined;
  }

  /** Inserts text at the cursor of the last used editor, replaces its selection, and shows the editor. */
  async insert(text: string): Promise<void> {
    const last = this.lastEditor();
    if (!last)
      throw new UserError(
        vscode.l10n.t('No text editor is open. Open a file, place the cursor where you want the text, and try again.'),
      );
    const { document, selection, viewColumn } = last;
    const editor = await vscode.window.showTextDocument(document, {
      selection,
      preview: false,
      ...(viewColumn === undefined ? {} : { viewColumn }),
    });
    const isDone = await editor.edit((edit) => edit.replace(editor.selection, text));
    if (!isDone)
      throw new UserError(vscode.l10n.t('"{0}" cannot be edited.', vscode.workspace.asRelativePath(document.uri)));
  }

  /** The handlers for a form page that requests a path or suggestions from the editor. */
  formAnswers(style: () => PathStyle): {
    editorText: (asked: { source: EditorSource }) => { text?: string };
    pick: (asked: { kind: PickKind }) => Promise<{ path?: string }>;
  } {
    return {
      editorText: ({ source }) => {
        const text = source === 'selection' ? this.selection() : this.file(style());
        return text === undefined ? {} : { text };
      },
      pick: async ({ kind }) => {
        const path = await this.pick(kind, style());
        return path === undefined ? {} : { path };
      },
    };
  }

  /** Suggestions for a text field: the selected text, and for a path field the open files. */
  suggestions(
    { text, isPath, isMultiline }: Pick<Question, 'text' | 'isPath' | 'isMultiline'>,
    style: PathStyle,
  ): Suggestion[] {
    const selected = this.selection();
    // A single-line field cannot contain line breaks, and a long text is not readable in it.
    const isLine = selected !== undefined && selected.length <= maxLineSelection && !/[\r\n]/.test(selected);
    const found: Suggestion[] = isLine
      ? [{ value: selected, detail: vscode.l10n.t('selected text') }]
      : selected !== undefined && isMultiline
        ? [longSelection(selected)]
        : [];
    if (isPath) {
      const open = vscode.window.tabGroups.all
        .flatMap(({ tabs }) => tabs)
        .flatMap(({ input }) =>
          input instanceof vscode.TabInputText && vscode.workspace.getWorkspaceFolder(input.uri)
            ? [pathOf(input.uri, style)]
            : [],
        );
      found.push(...[...new Set(open)].map((value) => ({ value, detail: vscode.l10n.t('open file') })));
    }
    const lowerText = text.toLowerCase();
    return found.filter(({ value }) => value !== text && value.toLowerCase().includes(lowerText));
  }

  /** Lets the user select a file or folder. Returns undefined if the user cancels. */
  async pick(kind: PickKind, style: PathStyle): Promise<string | undefined> {
    const abort = new vscode.CancellationTokenSource();
    const items = Promise.resolve(vscode.workspace.findFiles('**/*', undefined, maxFiles, abort.token)).then((files) =>
      pickItems(files, kind),
    );
    const placeHolder =
      kind === 'folder'
        ? vscode.l10n.t('Select a folder of the workspace')
        : vscode.l10n.t('Select a file of the workspace');
    const picked = await vscode.window.showQuickPick(items, { placeHolder, matchOnDescription: true });
    abort.cancel();
    if (!picked) return undefined;
    if (picked.uri) return pathOf(picked.uri, style);
    const [chosen] =
      (await vscode.window.showOpenDialog({
        canSelectFiles: kind !== 'folder',
        canSelectFolders: kind !== 'file',
        canSelectMany: false,
      })) ?? [];
    return chosen && pathOf(chosen, style);
  }

  dispose(): void {
    this.changes.dispose();
  }

  private lastEditor(): vscode.TextEditor | undefined {
    return this.editor && !this.editor.document.isClosed ? this.editor : vscode.window.visibleTextEditors[0];
  }
}

/** A suggestion for a long text. The label shows the beginning of the text. */
function longSelection(value: string): Suggestion {
  const lines = value.split(/\r\n|\r|\n/);
  const first = lines.find((line) => line.trim() !== '')?.trim() ?? '';
  const label = `${visibleLine(first, maxLabel).replace(/…$/, '')}…`;
  return {
    value,
    label,
    detail:
      lines.length === 1
        ? vscode.l10n.t('selected text, {0} characters', value.length)
        : vscode.l10n.t('selected text, {0} lines', lines.length),
  };
}

type PickItem = vscode.QuickPickItem & { uri?: vscode.Uri };

function pickItems(files: readonly vscode.Uri[], kind: PickKind): PickItem[] {
  const elsewhere: PickItem = { label: vscode.l10n.t('Browse…'), alwaysShow: true };
  const folders = new Map((vscode.workspace.workspaceFolders ?? []).map(({ uri }) => [uri.toString(), uri]));
  if (kind !== 'file') {
    for (const file of files) {
      for (
        let folder = vscode.Uri.joinPath(file, '..');
        vscode.workspace.getWorkspaceFolder(folder) && !folders.has(folder.toString());
        folder = vscode.Uri.joinPath(folder, '..')
      )
        folders.set(folder.toString(), folder);
    }
  }
  const shown = [...(kind === 'folder' ? [] : files), ...(kind === 'file' ? [] : folders.values())];
  const items = shown.map((uri): PickItem => {
    const relative = pathOf(uri, 'relative');
    const folder = path.posix.dirname(relative);
    return { label: path.posix.basename(relative), description: folder === '.' ? '' : folder, uri };
  });
  return [
    ...items.sort((a, b) => (a.description ?? '').localeCompare(b.description ?? '') || a.label.localeCompare(b.label)),
    elsewhere,
  ];
}

function pathOf(uri: vscode.Uri, style: PathStyle): string {
  if (style === 'absolute') return uri.scheme === 'file' ? uri.fsPath : uri.path;
  // The workspace folder itself has no relative path.
  const relative = vscode.workspace.asRelativePath(uri, false);
  return vscode.workspace.workspaceFolders?.some((folder) => folder.uri.toString() === uri.toString()) === true
    ? '.'
    : relative;
}
