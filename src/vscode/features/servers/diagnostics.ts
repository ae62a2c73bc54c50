import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { DisposableStore } from '../../../core/base/disposable.js';
import type { ServersApi } from '../../../core/host/hostServers.js';
import type { ConfigProblem } from '../../../core/config/serverDefinition.js';
import type { Feature } from '../../ui/services.js';
import { rangeOf } from '../../adapters/openSource.js';

/** Shows problems of the configuration files in the Problems view. */
export const diagnosticsFeature: Feature = {
  name: 'diagnostics',
  register({ host }): Disposable {
    const store = new DisposableStore();
    const collection = store.add(vscode.languages.createDiagnosticCollection('mcp-deck'));
    store.add(
      host.servers.onDidChange(({ server }) => {
        if (server === undefined) update(host.servers, collection);
      }),
    );
    update(host.servers, collection);
    return store;
  },
};

function update(servers: ServersApi, collection: vscode.DiagnosticCollection): void {
  for (const { source, problems } of servers.problems()) {
    // Problems of the user settings are shown only in the Servers view, because the file URI of the user settings is
    // not known.
    if (source.fileUri !== undefined)
      collection.set(vscode.Uri.parse(source.fileUri, true), problems.map(diagnosticOf));
  }
}

function diagnosticOf(problem: ConfigProblem): vscode.Diagnostic {
  const severity = problem.severity === 'error' ? vscode.DiagnosticSeverity.Error : vscode.DiagnosticSeverity.Warning;
  const diagnostic = new vscode.Diagnostic(rangeOf(problem.position), problem.message, severity);
  diagnostic.source = 'MCP Deck';
  return diagnostic;
}
