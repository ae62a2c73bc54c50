/**
 * Helpers for jsonc-parser's tree, which contains the position of every node. All are linear in the size of the tree.
 */
import type { Node, ParseError, ParseOptions } from 'jsonc-parser';
import { createScanner, parseTree } from 'jsonc-parser';
import { objectOf } from '../base/objectCopy.js';
import type { SourcePosition } from './serverDefinition.js';

/**
 * Maximum number of tokens of a text that is parsed to a tree. A tree, or the list of errors, needs about 100 bytes for
 * each, so a file of a few megabytes could need hundreds.
 */
const maxTokens = 1_000_000;

/** Whether a text has more tokens than may be parsed to a tree. Comments do not count. */
export function hasTooManyTokens(text: string): boolean {
  if (text.length <= maxTokens) return false;
  const scanner = createScanner(text, true);
  let count = 0;
  while (scanner.scan() !== endOfText) if (++count > maxTokens) return true;
  return false;
}

/** `SyntaxKind.EOF`, which is a `const enum`. */
const endOfText = 17;

/**
 * Parses untrusted JSON with comments. Throws RangeError if the text has too many tokens, or is nested deeper than the
 * stack allows.
 */
export function parseJsonTree(text: string, errors: ParseError[] = [], options: ParseOptions = {}): Node | undefined {
  if (hasTooManyTokens(text)) throw new RangeError('The text has too many values.');
  return parseTree(text, errors, options);
}

/** A property of an object: the nodes of its key and of its value. */
export interface ConfigMember {
  name: string;
  key: Node;
  value: Node;
}

/** The properties of an object in order, including duplicates; none for other nodes. */
export function membersOf(node: Node): ConfigMember[] {
  if (node.type !== 'object') return [];
  const members: ConfigMember[] = [];
  for (const { children } of node.children ?? []) {
    const [key, value] = children ?? [];
    if (key && value) members.push({ name: String(key.value), key, value });
  }
  return members;
}

/**
 * The value as plain data; call `findTooDeep` first. A key named `__proto__` becomes an own property, not a prototype.
 */
export function plainValue(node: Node): unknown {
  if (node.type === 'array') return (node.children ?? []).map(plainValue);
  if (node.type === 'object') return objectOf(membersOf(node).map(({ name, value }) => [name, plainValue(value)]));
  return node.value;
}

/** Maximum nesting depth of an entry, so that recursive code cannot overflow the stack. */
export const maxDepth = 100;

/** The first node that is more than `maxDepth` levels below `root`, or undefined. Not recursive. */
export function findTooDeep(root: Node): Node | undefined {
  const open: { node: Node; depth: number }[] = [{ node: root, depth: 0 }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { node, depth } = next;
    if (depth > maxDepth) return node;
    // A property does not count as a level.
    const inner = node.type === 'property' ? depth : depth + 1;
    for (const child of node.children ?? []) open.push({ node: child, depth: inner });
  }
  return undefined;
}

/** Converts offsets to lines and characters, as editors count them: one scan of the text, then binary search. */
export class LinePositions {
  private readonly lineStarts: number[] = [0];

  constructor(private readonly text: string) {
    // In VS Code, a carriage return without a line feed also ends a line.
    if (text.includes('\r'))
      for (const match of text.matchAll(/\r\n|\r|\n/g)) this.lineStarts.push(match.index + match[0].length);
    else for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.lineStarts.push(at + 1);
  }

  of({ offset, length }: { offset: number; length: number }): SourcePosition {
    const start = this.at(offset);
    const end = this.at(offset + length);
    return { line: start.line, character: start.character, endLine: end.line, endCharacter: end.character };
  }

  private at(wanted: number): { line: number; character: number } {
    const offset = Math.min(wanted, this.text.length);
    let low = 0;
    let high = this.lineStarts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.lineStarts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low, character: offset - (this.lineStarts[low] ?? 0) };
  }
}
