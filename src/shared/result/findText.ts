/** Searches the data of a page instead of its DOM, because only a part of a long text or JSON value may be drawn. */
import type { JsonNode, JsonPath } from './resultModel.js';

/** Maximum number of hits that are counted. */
export const maxHits = 10_000;

/** The range of a hit in a text. `end` is exclusive. */
export interface TextHit {
  start: number;
  end: number;
}

/** The range of a hit in a JSON value: in the name of a property, or in the text of a value. */
export interface JsonHit extends TextHit {
  path: JsonPath;
  part: 'key' | 'value';
}

/** The pattern that finds a text regardless of case. Undefined for an empty text. */
export function patternOf(query: string): RegExp | undefined {
  return query === '' ? undefined : new RegExp(query.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), 'giu');
}

/** The hits in a text, at most `limit`. */
export function hitsInText(text: string, pattern: RegExp, limit = maxHits): TextHit[] {
  const hits: TextHit[] = [];
  pattern.lastIndex = 0;
  for (let found = pattern.exec(text); found && hits.length < limit; found = pattern.exec(text))
    hits.push({ start: found.index, end: found.index + found[0].length });
  return hits;
}

/** The hits in a JSON value, in the order of the lines of a tree, at most `limit`. `base` is the path of the value. */
export function hitsInJson(root: JsonNode, pattern: RegExp, base: JsonPath = [], limit = maxHits): JsonHit[] {
  const hits: JsonHit[] = [];
  const add = (text: string, path: JsonPath, part: JsonHit['part']) => {
    for (const hit of hitsInText(text, pattern, limit - hits.length)) hits.push({ ...hit, path, part });
  };
  // The values that are still to be searched, as a stack: the last one is searched next.
  const waiting: { node: JsonNode; path: JsonPath; name?: string }[] = [{ node: root, path: base }];
  for (let next = waiting.pop(); next && hits.length < limit; next = waiting.pop()) {
    const { node, path, name } = next;
    if (name !== undefined) add(name, path, 'key');
    if (node.kind === 'object')
      for (const { key, label, value } of [...node.entries].reverse())
        waiting.push({ node: value, path: [...path, key], name: label ?? key });
    else if (node.kind === 'array')
      for (let index = node.items.length - 1; index >= 0; index--) {
        const item = node.items[index];
        if (item) waiting.push({ node: item, path: [...path, index] });
      }
    else if (node.kind !== 'cut') add(node.text, path, 'value');
  }
  return hits;
}

/** Whether a JSON value contains a hit. */
export function hasHit(node: JsonNode, pattern: RegExp): boolean {
  return hitsInJson(node, pattern, [], 1).length > 0;
}

/**
 * The values that a filtered tree shows: those that contain a hit, the objects and arrays around them, and everything
 * inside a property whose name contains a hit.
 */
export function nodesWithHits(root: JsonNode, pattern: RegExp): Set<JsonNode> {
  const shown = new Set<JsonNode>();
  const has = (text: string) => hitsInText(text, pattern, 1).length > 0;
  // Recursion is safe here, because the model of a value has a limited depth.
  const mark = (node: JsonNode, name: string | undefined, isInside: boolean): boolean => {
    const isAll = isInside || (name !== undefined && has(name));
    let isShown = isAll;
    if (node.kind === 'object')
      for (const { key, label, value } of node.entries) isShown = mark(value, label ?? key, isAll) || isShown;
    else if (node.kind === 'array') for (const item of node.items) isShown = mark(item, undefined, isAll) || isShown;
    else if (node.kind !== 'cut') isShown = has(node.text) || isShown;
    if (isShown) shown.add(node);
    return isShown;
  };
  mark(root, undefined, false);
  shown.add(root);
  return shown;
}

/** The lines of a text that contain a hit. */
export function linesWithHits(text: string, pattern: RegExp): string {
  return text
    .split('\n')
    .filter((line) => hitsInText(line, pattern, 1).length > 0)
    .join('\n');
}
