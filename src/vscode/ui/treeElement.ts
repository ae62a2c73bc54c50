import * as vscode from 'vscode';
import type { TreeNode } from '../../core/present/tree/treeNode.js';
import { sameLine } from '../../core/present/tree/treeNode.js';
import { commandIds } from '../manifest.js';

/** When more lines than this changed, the one above them is read again. */
const maxChanged = 50;

/**
 * The lasting identity of one line in a tree. VS Code refreshes by object, so an element stays while its node model is
 * replaced by newer ones.
 */
export class TreeElement {
  /** By node id; kept from one reading to the next. */
  private children = new Map<string, TreeElement>();
  private isRead = false;

  constructor(
    public node: TreeNode,
    readonly parent?: TreeElement,
  ) {}

  /** The children of the current model, as the same objects as last time where their ids stayed. */
  readChildren(): TreeElement[] {
    const { list, byId } = reconcile(this.node.children?.() ?? [], this.children, this);
    this.children = byId;
    this.isRead = true;
    return list;
  }

  /**
   * Takes a newer model; returns the elements that VS Code has to read again. They are as few and as low as can be: while
   * VS Code reads a line again it knows nothing of the lines below, and a click on one of them says nothing to a command.
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
    const item = new vscode.TreeItem(node.label, collapsibleState(node));
    item.id = node.id;
    item.contextValue = node.contextValue;
    if (node.description !== undefined) item.description = node.description;
    if (node.icon)
      item.iconPath = new vscode.ThemeIcon(
        node.icon.name,
        node.icon.color === undefined ? undefined : new vscode.ThemeColor(node.icon.color),
      );
    if (node.spokenLabel !== undefined) item.accessibilityInformation = { label: node.spokenLabel };
    // What is dim gets its colour by its address; see `dimming.ts`.
    if (node.isDim === true) item.resourceUri = dimUri(node.id);
    if (node.onClick) item.command = { command: commandIds[node.onClick], title: '', arguments: [this] };
    return item;
  }

  /** The tooltip is made when somebody hovers: a list of thousands needs none. */
  resolve(item: vscode.TreeItem): vscode.TreeItem {
    const markdown = this.node.tooltip?.(Date.now());
    if (markdown !== undefined) {
      const tooltip = new vscode.MarkdownString(markdown);
      // Server text is in it, escaped; these two are the second lock.
      tooltip.isTrusted = false;
      tooltip.supportHtml = false;
      item.tooltip = tooltip;
    }
    return item;
  }
}

function collapsibleState({ isCollapsible, isOpen }: TreeNode): vscode.TreeItemCollapsibleState {
  if (!isCollapsible) return vscode.TreeItemCollapsibleState.None;
  return isOpen === true ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.Collapsed;
}

/** Elements for `nodes`: known ones take the new model, new ones are made, the rest is forgotten. */
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

/** The address of a line that is drawn dim. */
function dimUri(id: string): vscode.Uri {
  return vscode.Uri.from({ scheme: dimScheme, path: `/${id}` });
}

/** Labels of a tree have no color of their own; a decoration of their address gives them one. */
export function registerDimming(): vscode.Disposable {
  const decoration = new vscode.FileDecoration(undefined, undefined, new vscode.ThemeColor('disabledForeground'));
  return vscode.window.registerFileDecorationProvider({
    provideFileDecoration: ({ scheme }) => (scheme === dimScheme ? decoration : undefined),
  });
}
