import * as vscode from 'vscode';
import type { TreeNode } from '../../core/present/tree/treeNode.js';
import { sameLine } from '../../core/present/tree/treeNode.js';
import { commandIds } from '../manifest.js';

/**
 * Maximum number of changed children that are refreshed individually. If more have changed, their parent is refreshed
 * instead.
 */
const maxChanged = 50;

/**
 * The persistent object for one tree item. VS Code identifies items by object, so the element stays the same while its
 * node model is replaced.
 */
export class TreeElement {
  /** Children by node ID. The next call of `readChildren` reuses them. */
  private children = new Map<string, TreeElement>();
  private isRead = false;
  /** Whether the user had expanded the item before it was removed from the tree. */
  wasOpen = false;

  constructor(
    public node: TreeNode,
    readonly parent?: TreeElement,
  ) {}

  /** Returns the children of the current model. Children whose IDs did not change keep their objects. */
  readChildren(): TreeElement[] {
    const { list, byId } = reconcile(this.node.children?.() ?? [], this.children, this);
    this.children = byId;
    this.isRead = true;
    return list;
  }

  /**
   * Sets a new model and returns the elements that VS Code must refresh: as few as possible, at the lowest possible
   * level. While VS Code refreshes an element, it has no elements below it, and a click on a line below it passes no
   * element to the command.
   */
  update(node: TreeNode): TreeElement[] {
    const before = this.node;
    this.node = node;
    if (!sameLine(before, node)) return [this];
    if (!this.isRead) return [];
    const fresh = node.children?.() ?? [];
    const known = [...this.children.values()];
    if (fresh.length !== known.length || fresh.some(({ id }, index) => id !== known[index]?.node.id)) return [this];
    const changed = fresh.flatMap((child, index) => known[index]?.update(child) ?? []);
    return changed.length > maxChanged ? [this] : changed;
  }

  toTreeItem(): vscode.TreeItem {
    const { node } = this;
    const item = new vscode.TreeItem(node.label, collapsibleState(node, this.wasOpen));
    item.id = node.id;
    item.contextValue = node.contextValue;
    if (node.description !== undefined) item.description = node.description;
    if (node.icon)
      item.iconPath = new vscode.ThemeIcon(
        node.icon.name,
        node.icon.color === undefined ? undefined : new vscode.ThemeColor(node.icon.color),
      );
    if (node.spokenLabel !== undefined) item.accessibilityInformation = { label: node.spokenLabel };
    // The resource URI gives the item its dimmed color. See `registerDimming`.
    if (node.isDim === true) item.resourceUri = dimUri(node.id);
    if (node.onClick) item.command = { command: commandIds[node.onClick], title: '', arguments: [this] };
    return item;
  }

  /** Creates the tooltip only when the pointer hovers over the item, because a list can have thousands of items. */
  resolve(item: vscode.TreeItem): vscode.TreeItem {
    const markdown = this.node.tooltip?.(Date.now(), vscode.env.language);
    if (markdown !== undefined) {
      const tooltip = new vscode.MarkdownString(markdown);
      // The server text in the tooltip is already escaped. These settings are an additional protection.
      tooltip.isTrusted = false;
      tooltip.supportHtml = false;
      item.tooltip = tooltip;
    }
    return item;
  }
}

function collapsibleState({ isCollapsible, isOpen }: TreeNode, wasOpen: boolean): vscode.TreeItemCollapsibleState {
  if (!isCollapsible) return vscode.TreeItemCollapsibleState.None;
  return isOpen === true || wasOpen
    ? vscode.TreeItemCollapsibleState.Expanded
    : vscode.TreeItemCollapsibleState.Collapsed;
}

/** Returns elements for `nodes`. Reuses known elements, creates missing ones, and drops the others. */
export function reconcile(
  nodes: readonly TreeNode[],
  known: ReadonlyMap<string, TreeElement>,
  parent?: TreeElement,
): { list: TreeElement[]; byId: Map<string, TreeElement> } {
  const byId = new Map<string, TreeElement>();
  const list = nodes.map((node) => {
    const element = known.get(node.id) ?? new TreeElement(node, parent);
    element.node = node;
    byId.set(node.id, element);
    return element;
  });
  return { list, byId };
}

const dimScheme = 'mcpdeck-dim';

/** The resource URI of an item that is shown in a dimmed color. */
function dimUri(id: string): vscode.Uri {
  return vscode.Uri.from({ scheme: dimScheme, path: `/${id}` });
}

/** Tree labels have no color setting. A file decoration for the resource URI sets their color. */
export function registerDimming(): vscode.Disposable {
  const decoration = new vscode.FileDecoration(undefined, undefined, new vscode.ThemeColor('disabledForeground'));
  return vscode.window.registerFileDecorationProvider({
    provideFileDecoration: ({ scheme }) => (scheme === dimScheme ? decoration : undefined),
  });
}
