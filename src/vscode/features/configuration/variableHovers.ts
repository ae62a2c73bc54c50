import os from 'node:os';
import * as vscode from 'vscode';
import type { ServersApi } from '../../../core/host/hostServers.js';
import { parseConfigText } from '../../../core/config/parseConfig.js';
import { variableAt, variableText } from '../../../core/present/documents/variableHover.js';
import { fileFolders } from '../../adapters/workspaceRoots.js';
import { configurationDocuments, sourceOf } from './configurationLenses.js';

/** Shows the meaning and value of a variable when the pointer hovers over it in a configuration file. */
export function registerVariableHovers(servers: ServersApi): vscode.Disposable {
  return vscode.languages.registerHoverProvider(configurationDocuments, {
    provideHover(document, position) {
      const place = sourceOf(document);
      const line = document.lineAt(position.line).text;
      const found = place && variableAt(line, position.character);
      if (!place || !found) return undefined;
      const { source } = place;
      const inputs =
        source.kind === 'user'
          ? servers.list().flatMap(({ entry }) => (entry.source.id === source.id ? entry.inputs : []))
          : parseConfigText(document.getText(), source).inputs;
      const text = variableText(found.name, {
        env: process.env,
        folderPath: source.folderPath,
        folders: fileFolders(),
        userHome: os.homedir(),
        inputs,
        isPortable: source.kind === 'portable',
        getSetting: (key) => vscode.workspace.getConfiguration().get(key),
      });
      // The text is appended as plain text, so that the value is not interpreted as Markdown.
      return new vscode.Hover(
        new vscode.MarkdownString().appendText(text),
        new vscode.Range(position.line, found.start, position.line, found.end),
      );
    },
  });
}
