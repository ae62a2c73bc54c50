/** Which servers VS Code's own agent starts itself, from the configuration files that MCP Deck also reads. */
import * as vscode from 'vscode';
import type { ConfigSource } from '../../core/config/serverDefinition.js';

/** Settings of VS Code that decide whether it starts servers, and from which files. */
export const vsCodeServerSettings = {
  autoStart: 'chat.mcp.autostart',
  access: 'chat.mcp.access',
  rootFile: 'chat.mcp.workspaceRootConfig.enabled',
} as const;

/** Whether VS Code's agent starts servers when the user sends a chat request. */
export function startsOwnServers(): boolean {
  const settings = vscode.workspace.getConfiguration();
  return (
    settings.get(vsCodeServerSettings.autoStart) !== 'never' && settings.get(vsCodeServerSettings.access) !== 'none'
  );
}

/** Whether VS Code's agent starts the servers of a source itself. */
export function isOfVsCode({ kind }: Pick<ConfigSource, 'kind'>): boolean {
  const isRead =
    kind === 'vscode' ||
    (kind === 'portable' && vscode.workspace.getConfiguration().get(vsCodeServerSettings.rootFile) === true);
  return isRead && startsOwnServers();
}
