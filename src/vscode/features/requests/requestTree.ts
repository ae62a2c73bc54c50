import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { DisposableStore } from '../../../core/base/disposable.js';
import { requestNodes } from '../../../core/present/tree/requestNodes.js';
import type { RequestQueue } from '../../../core/requests/requestQueue.js';
import { viewIds } from '../../manifest.js';
import { setContext } from '../../ui/setContext.js';
import type { TreeElement } from '../../ui/treeElement.js';
import { reconcile } from '../../ui/treeElement.js';

/**
 * The Requests view. It is visible only while a request is waiting. The number in its badge is the number of requests.
 */
export class RequestTree implements vscode.TreeDataProvider<TreeElement>, Disposable {
  private readonly store = new DisposableStore();
  private readonly changed = this.store.add(new vscode.EventEmitter<void>());
  readonly onDidChangeTreeData = this.changed.event;
  private readonly view: vscode.TreeView<TreeElement>;
  private roots = new Map<string, TreeElement>();

  constructor(private readonly queue: RequestQueue) {
    this.view = this.store.add(vscode.window.createTreeView(viewIds.requests, { treeDataProvider: this }));
    this.store.add(queue.onDidChange(() => this.refresh()));
    this.refresh();
  }

  getChildren(element?: TreeElement): TreeElement[] {
    if (element) return [];
    const { list, byId } = reconcile(requestNodes(this.queue.waiting), this.roots);
    this.roots = byId;
    return list;
  }

  getTreeItem(element: TreeElement): vscode.TreeItem {
    return element.toTreeItem();
  }

  resolveTreeItem(item: vscode.TreeItem, element: TreeElement): vscode.TreeItem {
    return element.resolve(item);
  }

  dispose(): void {
    this.store.dispose();
  }

  private refresh(): void {
    const count = this.queue.waiting.length;
    setContext('mcpDeck.hasRequests', count > 0);
    this.view.badge =
      count === 0
        ? undefined
        : {
            value: count,
            tooltip:
              count === 1
                ? vscode.l10n.t('1 server request is waiting for you')
                : vscode.l10n.t('{0} server requests are waiting for you', count),
          };
    this.changed.fire();
  }
}
