import * as vscode from 'vscode';
import type { Disposable } from '../../core/base/disposable.js';
import { toDisposable } from '../../core/base/disposable.js';
import { visibleLine } from '../../core/base/hostileText.js';
import type { CommandFunnel } from './commandFunnel.js';

export type UriRoute = (uri: vscode.Uri) => Promise<void>;

/**
 * What answers addresses of the extension, `vscode://mcp-deck.mcp-deck/<path>?…`. VS Code takes one handler per extension,
 * so each feature registers the path that is its own. Anything on the machine can open such an address: a route asks
 * before it does anything.
 */
export class UriRoutes {
  private readonly routes = new Map<string, UriRoute>();

  constructor(private readonly funnel: CommandFunnel) {}

  /** @param path with a leading slash; the handler's errors are shown. */
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
          'MCP Deck does not know the address "{0}". It may come from another version.',
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
