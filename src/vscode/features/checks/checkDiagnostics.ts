import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import type { ServerView } from '../../../core/catalog/hostTypes.js';
import { rangeOf } from '../../adapters/openSource.js';

/** One problem in the Problems view. */
export interface CheckProblem {
  severity: 'error' | 'warning' | 'info';
  message: string;
  /** The ID of the rule. */
  code: string;
  /** The tool that the problem is about. */
  tool?: string | undefined;
}

const severities = {
  error: vscode.DiagnosticSeverity.Error,
  warning: vscode.DiagnosticSeverity.Warning,
  info: vscode.DiagnosticSeverity.Information,
} as const;

/**
 * The problems of servers in the Problems view, in groups that are replaced independently. A problem of a tool is shown
 * where the source code in the workspace names the tool. All other problems are shown at the definition of the server.
 */
export class CheckDiagnostics implements Disposable {
  private readonly collection = vscode.languages.createDiagnosticCollection('mcp-deck-checks');
  /** The problems of each group, with their files. */
  private readonly groups = new Map<string, readonly [vscode.Uri, vscode.Diagnostic][]>();

  constructor(private readonly userSettings: vscode.Uri) {}

  /** Replaces the problems of a group. @param sources for each tool, where the source code names it. */
  set(
    group: string,
    view: ServerView,
    problems: readonly CheckProblem[],
    sources: ReadonlyMap<string, vscode.Location> = new Map(),
  ): void {
    const definition = this.definitionOf(view);
    this.groups.set(
      group,
      problems.map(({ severity, message, code, tool }) => {
        const { uri, range } = (tool === undefined ? undefined : sources.get(tool)) ?? definition;
        const diagnostic = new vscode.Diagnostic(range, message, severities[severity]);
        diagnostic.source = 'MCP Deck';
        diagnostic.code = code;
        return [uri, diagnostic];
      }),
    );
    this.draw();
  }

  delete(group: string): void {
    if (this.groups.delete(group)) this.draw();
  }

  dispose(): void {
    this.collection.dispose();
  }

  private draw(): void {
    const byFile = new Map<string, { uri: vscode.Uri; found: vscode.Diagnostic[] }>();
    for (const [uri, diagnostic] of [...this.groups.values()].flat()) {
      const file = byFile.get(uri.toString()) ?? { uri, found: [] };
      byFile.set(uri.toString(), file);
      file.found.push(diagnostic);
    }
    this.collection.clear();
    for (const { uri, found } of byFile.values()) this.collection.set(uri, found);
  }

  private definitionOf({ entry: { source, position } }: ServerView): vscode.Location {
    const uri = source.fileUri === undefined ? this.userSettings : vscode.Uri.parse(source.fileUri, true);
    return new vscode.Location(uri, position ? rangeOf(position) : new vscode.Range(0, 0, 0, 0));
  }
}
