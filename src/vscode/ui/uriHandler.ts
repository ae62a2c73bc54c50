import * as vscode from 'vscode';
import type { Disposable } from '../../core/base/disposable.js';
import { toDisposable } from '../../core/base/disposable.js';
import { visibleLine } from '../../core/base/hostileText.js';
import type { CommandFunnel } from './commandFunnel.js';

export type UriRoute = (uri: vscode.Uri) => Promise<void>;

/**
 * Dispatches URIs of the extension, `vscode://mcp-deck.mcp-deck/<path>?…`. VS Code accepts one handler for each
 * extension, so each feature registers its own path. Any program on the machine can open such a URI, so a route must
 * ask the user before it acts.
 */
export class UriRoutes {
  private readonly routes = new Map<string, UriRoute>();

  constructor(private readonly funnel: CommandFunnel) {}

  /** Registers a route. Errors of the route are shown to the user. @param path the path with a leading slash. */
  register(path: string, route: UriRoute): Disposable {
    this.routes.set(path, route);
    return toDisposable(() => this.routes.delete(path));
  }

  async open(uri: vscode.Uri): Promise<void> {
    const route = this.routes.get(uri.path);
    if (!route) {
      this.funnel.tell(
        'warning',
        vscode.l10n.t(
          'MCP Deck does not support the address "{0}". The address might belong to another version of MCP Deck.',
          visibleLine(uri.path, 100),
        ),
        [],
      );
      return;
    }
    try {
      await route(uri);
    } catch (error) {
      this.funnel.show(error);
    }
  }
}
