import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { DisposableStore, toDisposable } from '../../../core/base/disposable.js';
import type { CompletionItem } from '../../../core/testing/language/completions.js';
import type { LiveServers } from '../../../core/testing/language/liveServer.js';
import { testFilePattern } from '../../manifest.js';
import type { ExtensionServices } from '../../ui/services.js';
import type { TestReader } from './testFiles.js';
import { isTestFile } from './testFiles.js';

/** Time without an edit before a file is checked, in milliseconds. */
const quietMs = 400;

const kinds: Readonly<Record<CompletionItem['kind'], vscode.CompletionItemKind>> = {
  key: vscode.CompletionItemKind.Property,
  value: vscode.CompletionItemKind.EnumMember,
  tool: vscode.CompletionItemKind.Method,
  prompt: vscode.CompletionItemKind.Text,
  resource: vscode.CompletionItemKind.File,
  server: vscode.CompletionItemKind.Module,
};

/** Completions, hovers and problems in test files. Names and arguments are those of the running server. */
export function registerTestLanguage({ host }: Pick<ExtensionServices, 'host'>, reader: TestReader): Disposable {
  const store = new DisposableStore();
  const files: vscode.DocumentSelector = { scheme: 'file', pattern: testFilePattern };
  const servers: LiveServers = {
    get names() {
      return host.servers.list().map(({ entry }) => entry.name);
    },
    find: (name) => {
      const view = host.servers.list().find(({ entry }) => entry.name === name);
      return view?.state.kind === 'running' ? view.features : undefined;
    },
  };
  store.add(
    vscode.languages.registerCompletionItemProvider(
      files,
      {
        async provideCompletionItems(document, position) {
          const { completionsAt } = await import('../../../core/testing/onDemand.js');
          const { items, replaced } = completionsAt(document.getText(), position, servers);
          const range = new vscode.Range(position.translate(0, -Math.min(replaced, position.character)), position);
          return items.map((one, index) => completionItem(one, index, range));
        },
      },
      ...[' ', ':', '{', '[', '"'],
    ),
  );
  store.add(
    vscode.languages.registerHoverProvider(files, {
      async provideHover(document, position) {
        const { hoverAt } = await import('../../../core/testing/onDemand.js');
        const readRoot = async () => (await reader.parse(document)).root;
        const found = await hoverAt(document.getText(), position, servers, readRoot);
        // The text is appended as plain text, because a part of it comes from the server.
        return (
          found &&
          new vscode.Hover(
            new vscode.MarkdownString().appendText(found.text),
            new vscode.Range(position.line, found.start, position.line, found.end),
          )
        );
      },
    }),
  );
  store.add(new TestProblems(servers, reader, (listener) => host.servers.onDidChange(listener)));
  return store;
}

function completionItem(
  { label, insert, kind, detail, description }: CompletionItem,
  index: number,
  range: vscode.Range,
): vscode.CompletionItem {
  const item = new vscode.CompletionItem(label, kinds[kind]);
  item.insertText = insert;
  item.filterText = insert.replace(/^"|": $|: $/g, '');
  item.range = range;
  // Keeps the suggestions in the order of the format. VS Code would sort them alphabetically.
  item.sortText = String(index).padStart(4, '0');
  if (detail !== undefined) item.detail = detail;
  if (description !== undefined) item.documentation = new vscode.MarkdownString().appendText(description);
  return item;
}

/** The problems of the test files that are open in editors. */
class TestProblems implements Disposable {
  private readonly store = new DisposableStore();
  private readonly collection = this.store.add(vscode.languages.createDiagnosticCollection('mcp-deck tests'));
  private readonly timers = new Map<string, NodeJS.Timeout>();

  constructor(
    private readonly servers: LiveServers,
    private readonly reader: TestReader,
    onDidChangeServers: (listener: () => void) => Disposable,
  ) {
    this.store.add(toDisposable(() => this.timers.forEach((timer) => clearTimeout(timer))));
    this.store.add(vscode.workspace.onDidOpenTextDocument((document) => this.checkSoon(document)));
    this.store.add(vscode.workspace.onDidChangeTextDocument(({ document }) => this.checkSoon(document)));
    this.store.add(vscode.workspace.onDidCloseTextDocument(({ uri }) => this.collection.delete(uri)));
    this.store.add(onDidChangeServers(() => this.checkAll()));
    this.checkAll();
  }

  dispose(): void {
    this.store.dispose();
  }

  private checkAll(): void {
    for (const document of vscode.workspace.textDocuments) this.checkSoon(document);
  }

  private checkSoon(document: vscode.TextDocument): void {
    if (!isTestFile(document.uri)) return;
    const key = document.uri.toString();
    clearTimeout(this.timers.get(key));
    this.timers.set(
      key,
      setTimeout(() => {
        this.timers.delete(key);
        void this.check(document);
      }, quietMs),
    );
  }

  private async check(document: vscode.TextDocument): Promise<void> {
    const { problemsOf } = await import('../../../core/testing/onDemand.js');
    if (document.isClosed) return;
    const { version } = document;
    // If the reader fails, no problems are shown, because the Test Explorer shows the error at the item of the file.
    const parsed = await this.reader.parse(document).catch(() => undefined);
    // If the text was edited in the meantime, the event of that edit starts another check.
    if (!parsed || document.isClosed || document.version !== version) return;
    const found = problemsOf(parsed, this.servers);
    this.collection.set(
      document.uri,
      found.map(({ line, column, message, severity }) => {
        const start = document.validatePosition(new vscode.Position(line - 1, column - 1));
        const range = document.getWordRangeAtPosition(start, /[^\s,:{}[\]]+/) ?? new vscode.Range(start, start);
        const level = severity === 'error' ? vscode.DiagnosticSeverity.Error : vscode.DiagnosticSeverity.Warning;
        const problem = new vscode.Diagnostic(range, message, level);
        problem.source = 'MCP Deck';
        return problem;
      }),
    );
  }
}
