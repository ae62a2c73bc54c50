import * as vscode from 'vscode';
import { untilAborted } from '../../core/base/withTimeLimit.js';
import { delay, systemClock } from '../../core/base/clock.js';
import type { Event } from '../../core/base/event.js';
import type { ExcludeRules } from '../../core/workspaceServer/exclusions.js';
import type {
  FileDiagnostic,
  FileSymbol,
  OpenEditor,
  Severity,
  LineRange,
  WorkspaceAccess,
  WorkspaceSymbol,
} from '../../core/workspaceServer/workspaceAccess.js';
import type { WorkspaceFolder } from '../../core/workspaceServer/workspacePaths.js';
import { excludeRules } from '../adapters/settingPolicy.js';

/**
 * The maximum number of attempts to get symbols from a language extension that was just activated, and the delay
 * between attempts, in milliseconds.
 */
const providerTries = 12;
const providerWaitMs = 250;

/** Gives the built-in server access to this window. Caches nothing. */
export class VsCodeWorkspaceAccess implements WorkspaceAccess {
  readonly onDidChangeOpenEditors: Event<void> = (listener) =>
    vscode.Disposable.from(
      vscode.window.tabGroups.onDidChangeTabs((change) => {
        // Events also arrive when tabs are selected or edited. Such changes do not affect the list.
        if (change.opened.length > 0 || change.closed.length > 0) listener();
      }),
      vscode.workspace.onDidChangeWorkspaceFolders(() => listener()),
    );

  readonly onDidChangeExcludes: Event<void> = (listener) =>
    vscode.Disposable.from(
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration('files.exclude')) listener();
      }),
      vscode.workspace.onDidChangeWorkspaceFolders(() => listener()),
    );

  readonly onDidChangeText: Event<string> = (listener) =>
    vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      // Saving a document also fires this event, without content changes.
      if (document.uri.scheme === 'file' && contentChanges.length > 0) listener(document.uri.fsPath);
    });

  folders(): WorkspaceFolder[] {
    // Only folders with the `file` scheme have real paths that can be checked.
    return (vscode.workspace.workspaceFolders ?? [])
      .filter(({ uri }) => uri.scheme === 'file')
      .map(({ name, uri }) => ({ name, path: uri.fsPath }));
  }

  excludes(folder: WorkspaceFolder): ExcludeRules {
    const files = vscode.workspace.getConfiguration('files', vscode.Uri.file(folder.path));
    return excludeRules(files.inspect('exclude'), files.get('exclude'));
  }

  async findFiles(folder: WorkspaceFolder, glob: string, limit: number, signal: AbortSignal): Promise<string[]> {
    const cancellation = new vscode.CancellationTokenSource();
    const cancel = (): void => cancellation.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      // VS Code applies `files.exclude` automatically, but not `search.exclude`.
      const found = await vscode.workspace.findFiles(
        new vscode.RelativePattern(vscode.Uri.file(folder.path), glob),
        '**/.git/**',
        limit,
        cancellation.token,
      );
      return found.filter(({ scheme }) => scheme === 'file').map(({ fsPath }) => fsPath);
    } finally {
      signal.removeEventListener('abort', cancel);
      cancellation.dispose();
    }
  }

  loadedText(path: string): { text: string; isDirty: boolean } | undefined {
    const uri = vscode.Uri.file(path).toString();
    const document = vscode.workspace.textDocuments.find((candidate) => candidate.uri.toString() === uri);
    return document && !document.isClosed ? { text: document.getText(), isDirty: document.isDirty } : undefined;
  }

  async decode(bytes: Uint8Array, path: string): Promise<string> {
    return vscode.workspace.decode(bytes, { uri: vscode.Uri.file(path) });
  }

  diagnostics(path?: string): { path: string; diagnostics: FileDiagnostic[] }[] {
    const all: readonly (readonly [vscode.Uri, readonly vscode.Diagnostic[]])[] =
      path === undefined
        ? vscode.languages.getDiagnostics()
        : [[vscode.Uri.file(path), vscode.languages.getDiagnostics(vscode.Uri.file(path))]];
    return all
      .filter(([uri]) => uri.scheme === 'file')
      .map(([uri, diagnostics]) => ({ path: uri.fsPath, diagnostics: diagnostics.map(toDiagnostic) }));
  }

  async documentSymbols(path: string, signal: AbortSignal): Promise<FileSymbol[]> {
    // Opening the document activates the language extension, if there is one.
    const { uri, languageId } = await untilAborted(vscode.workspace.openTextDocument(vscode.Uri.file(path)), signal);
    // An activated extension registers its symbol provider a moment later, without an event.
    let tries = isLanguageServed(languageId) ? providerTries : 1;
    for (;;) {
      const found = await untilAborted(
        vscode.commands.executeCommand<(vscode.DocumentSymbol | vscode.SymbolInformation)[] | undefined>(
          'vscode.executeDocumentSymbolProvider',
          uri,
        ),
        signal,
      );
      tries--;
      // Undefined means that there is no provider yet. An empty list is a valid answer.
      if (found !== undefined || tries === 0) return flatten(found ?? [], undefined, 0);
      await delay(systemClock, providerWaitMs, signal);
    }
  }

  async workspaceSymbols(query: string, signal: AbortSignal): Promise<WorkspaceSymbol[]> {
    const found = await untilAborted(
      vscode.commands.executeCommand<vscode.SymbolInformation[] | undefined>(
        'vscode.executeWorkspaceSymbolProvider',
        query,
      ),
      signal,
    );
    return (found ?? [])
      .filter(({ location }) => location.uri.scheme === 'file')
      .map(({ name, kind, containerName, location }) => ({
        name,
        kind: kindName(kind),
        ...(containerName === '' ? {} : { container: containerName }),
        path: location.uri.fsPath,
        range: toRange(location.range),
      }));
  }

  openEditors(): OpenEditor[] {
    const editors: OpenEditor[] = [];
    for (const { input, isDirty } of vscode.window.tabGroups.all.flatMap((group) => group.tabs)) {
      if (input instanceof vscode.TabInputText && input.uri.scheme === 'file')
        editors.push({ path: input.uri.fsPath, isDirty });
    }
    return editors;
  }
}

/** Whether an installed extension activates for files in this language. */
function isLanguageServed(languageId: string): boolean {
  return vscode.extensions.all.some(({ packageJSON }) => {
    const events = (packageJSON as { activationEvents?: unknown } | undefined)?.activationEvents;
    return Array.isArray(events) && (events.includes(`onLanguage:${languageId}`) || events.includes('onLanguage'));
  });
}

const severityNames: Readonly<Record<vscode.DiagnosticSeverity, Severity>> = {
  [vscode.DiagnosticSeverity.Error]: 'error',
  [vscode.DiagnosticSeverity.Warning]: 'warning',
  [vscode.DiagnosticSeverity.Information]: 'information',
  [vscode.DiagnosticSeverity.Hint]: 'hint',
};

function toDiagnostic({ severity, message, range, source, code }: vscode.Diagnostic): FileDiagnostic {
  const value = typeof code === 'object' ? code.value : code;
  return {
    severity: severityNames[severity],
    message,
    range: toRange(range),
    ...(source === undefined ? {} : { source }),
    ...(value === undefined ? {} : { code: String(value) }),
  };
}

function toRange({ start, end }: vscode.Range): LineRange {
  return {
    startLine: start.line + 1,
    startColumn: start.character + 1,
    endLine: end.line + 1,
    endColumn: end.character + 1,
  };
}

function flatten(
  symbols: readonly (vscode.DocumentSymbol | vscode.SymbolInformation)[],
  parent: string | undefined,
  depth: number,
): FileSymbol[] {
  return symbols.flatMap((symbol) => {
    const isTree = 'children' in symbol;
    const container = isTree ? parent : symbol.containerName;
    const own: FileSymbol = {
      name: symbol.name,
      kind: kindName(symbol.kind),
      range: toRange(isTree ? symbol.range : symbol.location.range),
      ...(container === undefined || container === '' ? {} : { container }),
      depth,
    };
    return [own, ...(isTree ? flatten(symbol.children, symbol.name, depth + 1) : [])];
  });
}

function kindName(kind: vscode.SymbolKind): string {
  const name = vscode.SymbolKind[kind] ?? 'Symbol';
  return name.charAt(0).toLowerCase() + name.slice(1);
}
