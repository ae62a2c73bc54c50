import { visibleLine } from '../../base/hostileText.js';
import { contextValues } from './contextValues.js';
import { hiddenWords } from '../text/hiddenText.js';
import { groupItems } from './itemGroups.js';
import type { NodeTarget, TreeNode } from './treeNode.js';
import { nodeId } from './treeNode.js';

/**
 * Converts the lists of a server to lines: groups with a count, items with a warning about hidden characters, long
 * lists in parts.
 */

/** The line of a group. `path` identifies the group among the groups of its server. */
export function groupNode(
  server: string,
  path: readonly string[],
  label: string,
  count: number,
  icon: string,
  children: () => TreeNode[],
): TreeNode {
  return {
    id: nodeId('server', server, ...path),
    kind: 'group',
    label: visibleLine(label),
    description: String(count),
    icon: { name: icon, color: 'icon.foreground' },
    contextValue: contextValues.group,
    isCollapsible: true,
    target: { server },
    name: label,
    children,
  };
}

/** Describes how the items of one list become lines. */
export interface ListShape<T> {
  /** The key that identifies an item. */
  keyOf(item: T): string;
  /** The name by which long lists are grouped. */
  nameOf(item: T): string;
  nodeOf(item: T): TreeNode;
}

/** The nodes of a list of a server. Long lists are divided into groups. Items with the same name get different IDs. */
export function listNodes<T>(
  server: string,
  path: readonly string[],
  items: readonly T[],
  shape: ListShape<T>,
): TreeNode[] {
  return groupedNodes(server, path, withOccurrence(items, shape), shape);
}

/**
 * An item and its number among the items with the same key. The number is needed because the IDs of a tree must be
 * unique.
 */
interface Occurrence<T> {
  item: T;
  /** The number among the items with the same key; 1 for the first one. */
  nth: number;
}

function withOccurrence<T>(items: readonly T[], shape: ListShape<T>): Occurrence<T>[] {
  const seen = new Map<string, number>();
  return items.map((item) => {
    const nth = (seen.get(shape.keyOf(item)) ?? 0) + 1;
    seen.set(shape.keyOf(item), nth);
    return { item, nth };
  });
}

function groupedNodes<T>(
  server: string,
  path: readonly string[],
  items: readonly Occurrence<T>[],
  shape: ListShape<T>,
): TreeNode[] {
  const labels = new Set<string>();
  return groupItems(items, ({ item }) => shape.nameOf(item)).map((part, index) => {
    if ('item' in part) {
      const node = shape.nodeOf(part.item.item);
      return part.item.nth === 1 ? node : { ...node, id: `${node.id}#${part.item.nth}` };
    }
    const { label, items: members } = part.group;
    // A part is identified by its label, so that it stays open when items are added before it.
    const groupPath = [...path, 'part', labels.has(label) ? `${label} ${index}` : label];
    labels.add(label);
    return groupNode(server, groupPath, label, members.length, 'list-flat', () =>
      groupedNodes(server, groupPath, members, shape),
    );
  });
}

export interface ShownItem {
  label: string | undefined;
  description: string | undefined;
  icon: string;
  tooltip: () => string;
}

/** The line of one item. `hidden` is the number of hidden characters in the item. */
export function itemNode(
  kind: 'tool' | 'resource' | 'template' | 'prompt' | 'skill' | 'skillFile',
  target: NodeTarget,
  name: string,
  shown: ShownItem,
  hidden: number,
): TreeNode {
  const title = visibleLine(shown.label ?? '', 120);
  // A title of spaces must not create a line without a name.
  const label = title === '' ? visibleLine(name, 120) : title;
  // The count of hidden characters comes first, so that it is visible in a narrow view.
  const description = [
    ...(hidden > 0 ? [hiddenWords(hidden)] : []),
    ...(shown.description === undefined ? [] : [shown.description]),
  ].join(' · ');
  return {
    id: nodeId('server', target.server ?? '', kind, name),
    kind,
    label,
    ...(description === '' ? {} : { description }),
    // The color is set because themes give symbol icons their own colors, which would have no meaning here.
    icon:
      hidden > 0
        ? { name: 'warning', color: 'problemsWarningIcon.foreground' }
        : { name: shown.icon, color: 'icon.foreground' },
    ...(hidden > 0 ? { spokenLabel: `${label}, ${description}` } : {}),
    contextValue: contextValues[kind],
    isCollapsible: false,
    target,
    name,
    tooltip: shown.tooltip,
  };
}
