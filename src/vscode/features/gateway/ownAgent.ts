import * as vscode from 'vscode';

/** The gateway as it is offered to VS Code's own agent. `token` is called when the agent connects. */
export interface OfferedGateway {
  url: string;
  version: string;
  token(): Promise<string>;
}

/**
 * Offers the gateway to VS Code's own agent. VS Code stores the definitions of providers in its database, so the token
 * is added only when a definition is resolved, and VS Code does not store it.
 */
export class OwnAgentOffer implements vscode.McpServerDefinitionProvider<vscode.McpHttpServerDefinition> {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeMcpServerDefinitions = this.changed.event;
  private offered: OfferedGateway | undefined;

  offer(gateway: OfferedGateway | undefined): void {
    if (this.offered?.url === gateway?.url) return;
    this.offered = gateway;
    this.changed.fire();
  }

  provideMcpServerDefinitions(): vscode.McpHttpServerDefinition[] {
    return this.offered ? [definitionOf(this.offered)] : [];
  }

  async resolveMcpServerDefinition(): Promise<vscode.McpHttpServerDefinition | undefined> {
    const { offered } = this;
    return offered && definitionOf(offered, { Authorization: `Bearer ${await offered.token()}` });
  }
}

function definitionOf(
  { url, version }: OfferedGateway,
  headers?: Record<string, string>,
): vscode.McpHttpServerDefinition {
  return new vscode.McpHttpServerDefinition('MCP Deck', vscode.Uri.parse(url), headers, version);
}
