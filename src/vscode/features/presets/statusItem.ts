import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { DisposableStore } from '../../../core/base/disposable.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import { hasFailed } from '../../../core/present/server/serverDescription.js';
import type { ExtensionServices } from '../../ui/services.js';
import { commandIds } from '../../manifest.js';

/** The status bar item, which shows the number of running servers and the active preset. */
export class StatusItem implements Disposable {
  private readonly store = new DisposableStore();
  private readonly item = this.store.add(
    vscode.window.createStatusBarItem('mcpDeck.status', vscode.StatusBarAlignment.Left),
  );

  constructor(private readonly deck: Pick<ExtensionServices, 'host' | 'switches'>) {
    this.item.name = 'MCP Deck';
    this.item.command = commandIds.showMenu;
    this.store.add(deck.host.servers.onDidChange(() => this.draw()));
    this.store.add(deck.switches.onDidChange(() => this.draw()));
    this.draw();
    this.item.show();
  }

  dispose(): void {
    this.store.dispose();
  }

  private draw(): void {
    const servers = this.deck.host.servers.list().filter(({ entry }) => entry.isEnabled);
    const running = servers.filter(({ state }) => state.kind === 'running').length;
    const failed = servers.filter(hasFailed).map(({ id }) => visibleLine(id, 60));
    const preset = this.deck.switches.preset;
    const name = preset && visibleLine(preset.name, 40);
    // Failed servers are stated in words. If the background were red instead, "1/3" would look like a number of errors.
    this.item.text = [
      `$(server-process) ${running}/${servers.length}`,
      ...(failed.length > 0 ? [`$(error) ${vscode.l10n.t('{0} failed', failed.length)}`] : []),
      ...(name === undefined ? [] : [`$(layers) ${name}`]),
    ].join('  ');
    const lines = [
      vscode.l10n.t('MCP servers: {0} of {1} running', running, servers.length),
      ...(failed.length > 0 ? [vscode.l10n.t('Failed: {0}', failed.join(', '))] : []),
      ...(name === undefined
        ? []
        : [
            this.deck.switches.waitingEdit
              ? vscode.l10n.t('Preset: {0}. The preset was edited and would enable more servers or tools', name)
              : vscode.l10n.t('Preset: {0}', name),
          ]),
    ];
    this.item.tooltip = lines.join('\n');
    this.item.accessibilityInformation = { label: lines.join(', ') };
  }
}
