import * as vscode from 'vscode';
import type { TreeNode } from '../../../core/present/tree/treeNode.js';
import type { TreeElement } from '../../ui/treeElement.js';

/** The functions that the deck provides for one view. */
export interface TreeSource {
  getChildren(element?: TreeElement): TreeElement[] | Promise<TreeElement[]>;
  /** Prepares what the tooltip of a line shows. Never rejects. */
  prepareTooltip?(node: TreeNode): Promise<void>;
}

/** The data provider of a view. It is registered during activation, and the first access loads the deck. */
export class LazyTree implements vscode.TreeDataProvider<TreeElement> {
  private readonly changed = new vscode.EventEmitter<TreeElement | undefined>();
  readonly onDidChangeTreeData = this.changed.event;

  constructor(private readonly load: () => Promise<TreeSource>) {}

  async getChildren(element?: TreeElement): Promise<TreeElement[]> {
    return (await this.load()).getChildren(element);
  }

  getTreeItem(element: TreeElement): vscode.TreeItem {
    return element.toTreeItem();
  }

  getParent(element: TreeElement): TreeElement | undefined {
    return element.parent;
  }

  async resolveTreeItem(item: vscode.TreeItem, element: TreeElement): Promise<vscode.TreeItem> {
    await (await this.load()).prepareTooltip?.(element.node);
    return element.resolve(item);
  }

  refresh(element: TreeElement | undefined): void {
    this.changed.fire(element);
  }
}
