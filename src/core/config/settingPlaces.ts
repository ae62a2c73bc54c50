import type { Node } from 'jsonc-parser';
import { findTooDeep, LinePositions, membersOf, parseJsonTree, plainValue } from './configNodes.js';
import type { SourcePosition } from './serverDefinition.js';

/**
 * The value of a setting that should be a list, the position of the whole value, and the position of each item. There
 * are no items if the value is not a list.
 */
export interface PlacedList {
  value: unknown;
  whole: SourcePosition;
  items: readonly SourcePosition[];
}

/**
 * Finds a setting in the text of a settings file, or below `settings` in a `.code-workspace` file. Undefined if it is
 * absent, or if the text cannot be parsed, has too many values, or is nested too deeply.
 */
export function placeSetting(text: string, key: string): PlacedList | undefined {
  let root: Node | undefined;
  try {
    root = parseJsonTree(text);
  } catch {
    return undefined;
  }
  if (!root || findTooDeep(root)) return undefined;
  const node = memberOf(root, key) ?? memberOf(memberOf(root, 'settings'), key);
  if (!node) return undefined;
  const lines = new LinePositions(text);
  return {
    value: plainValue(node),
    whole: lines.of(node),
    items: node.type === 'array' ? (node.children ?? []).map((item) => lines.of(item)) : [],
  };
}

/** The property with this name. If there are duplicates, the last one is used, as in JSON. */
function memberOf(node: Node | undefined, name: string): Node | undefined {
  return node && membersOf(node).findLast((member) => member.name === name)?.value;
}
