import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { savedServer } from '../../../shared/serverPage.js';
import type { ExtensionServices, Feature } from '../../ui/services.js';
import { panelTypes, commandIds } from '../../manifest.js';
import type { ServerPanel } from './serverPanel.js';
import { chooseServer } from '../../ui/chooseServer.js';

/** The open server details pages, one tab for each server. */
export class ServerPanels implements Disposable {
  private readonly panels = new Map<string, vscode.WebviewPanel>();
  private readonly opened = new Map<string, ServerPanel>();

  /**
   * @param deck Returns the services. Called when a panel opens, because the services do not exist yet when this object
   * is created.
   */
  constructor(private readonly deck: () => ExtensionServices) {}

  async open(server: string): Promise<void> {
    const known = this.panels.get(server);
    if (known) known.reveal();
    else
      await this.add(
        vscode.window.createWebviewPanel(panelTypes.server, server, vscode.ViewColumn.Active, {
          enableFindWidget: true,
        }),
        server,
      );
  }

  async diagnose(server: string): Promise<void> {
    await this.open(server);
    await this.opened.get(server)?.diagnose();
  }

  /** Restores a panel that was open before the window reloaded. `state` is the state that its page stored. */
  async restore(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const server = savedServer(state);
    if (server === undefined || this.panels.has(server)) panel.dispose();
    else await this.add(panel, server);
  }

  dispose(): void {
    // The tabs are not closed, because VS Code restores them when the window reloads.
    for (const panel of this.opened.values()) panel.dispose();
  }

  private async add(panel: vscode.WebviewPanel, server: string): Promise<void> {
    const deck = this.deck();
    this.panels.set(server, panel);
    panel.onDidDispose(() => this.panels.delete(server));
    const icon = (theme: 'light' | 'dark') =>
      vscode.Uri.joinPath(deck.extension.extensionUri, 'media', `server-${theme}.svg`);
    panel.iconPath = { light: icon('light'), dark: icon('dark') };
    // Loaded with the first page, because few users open one.
    const { ServerPanel } = await import('./serverPanel.js');
    if (!this.panels.has(server)) return;
    const opened = new ServerPanel(deck, panel, server);
    this.opened.set(server, opened);
    panel.onDidDispose(() => {
      this.opened.delete(server);
      opened.dispose();
    });
  }
}

/** "Show Server Details": shows all information about one server in an editor tab. */
export const detailsFeature: Feature = {
  name: 'server details',
  register({ host, commands, serverPanels }): Disposable {
    return commands.defineCommand(commandIds.showServerDetails, async (invocation) => {
      const { id } = await chooseServer(host.servers, invocation, {
        title: vscode.l10n.t('Show Server Details'),
        isCandidate: () => true,
        noneMessage: vscode.l10n.t('No server is configured.'),
      });
      await serverPanels.open(id);
    });
  },
};
