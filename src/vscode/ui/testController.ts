import * as vscode from 'vscode';
import type { Disposable } from '../../core/base/disposable.js';

/**
 * What can run an item: a test file and its cases have the profiles of tests, and the checks of servers have their own.
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
