import * as vscode from 'vscode';
import type { Disposable } from '../../core/base/disposable.js';

/**
 * The tags that connect items with run profiles: one tag for test files and their cases, and one for checks of servers.
 */
export const itemTags = {
  test: new vscode.TestTag('mcp-deck-test'),
  check: new vscode.TestTag('mcp-deck-check'),
} as const;

/**
 * The only controller of the Test Explorer. Features add their items and their run profiles. It is created on first
 * use, because a controller without tests would add the Testing view to every window.
 */
export class SharedTestController implements Disposable {
  private created: vscode.TestController | undefined;

  get controller(): vscode.TestController {
    return (this.created ??= vscode.tests.createTestController('mcpDeck', vscode.l10n.t('MCP Servers')));
  }

  dispose(): void {
    this.created?.dispose();
  }
}
