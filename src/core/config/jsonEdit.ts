/**
 * Edits JSON with comments and changes only what is necessary: comments, order and layout of everything else are kept.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Node } from 'jsonc-parser';
import { applyEdits, findNodeAtLocation, modify } from 'jsonc-parser';
import { isObject } from '../base/guards.js';
import { membersOf, parseJsonTree, plainValue } from './configNodes.js';

/** A change of a text, by offsets. */
export interface TextChange {
  offset: number;
  length: number;
  content: string;
}

/**
 * Sets `value` at `path` in `text`; missing objects are created. An existing object is changed property by property,
 * which keeps its comments. Undefined removes the property. An empty text is an empty object. Throws if the text is not
 * a JSON object, or if a parent is not an object.
 */
export function withValue(text: string, path: readonly string[], value: unknown): string {
  const source = text.trim() === '' ? '{}' : text;
  const root = parseJsonTree(source, [], { allowTrailingComma: true });
  if (root?.type !== 'object') throw new Error('The text is not a JSON object.');
  const there = findNodeAtLocation(root, [...path]);
  if (value === undefined) return there ? removed(source, there, path) : source;
  if (!there) return inserted(source, root, path, value);
  if (isDeepStrictEqual(plainValue(there), value)) return source;
  if (there.type !== 'object' || !isObject(value)) return replaced(source, there, value);
  const gone = membersOf(there)
    .filter(({ name }) => !Object.hasOwn(value, name))
    .map(({ name }) => name);
  const without = gone.reduce((current, name) => withValue(current, [...path, name], undefined), source);
  return Object.entries(value).reduce(
    (current, [name, member]) => withValue(current, [...path, name], member),
    without,
  );
}

/** Parses JSON with comments to plain data; undefined if the text contains no value. */
export function readJson(text: string): unknown {
  const root = parseJsonTree(text, [], { allowTrailingComma: true, allowEmptyContent: true });
  return root && plainValue(root);
}

function inserted(text: string, root: Node, path: readonly string[], value: unknown): string {
  let parent = root;
  for (const [depth, name] of path.entries()) {
    const next = membersOf(parent).findLast((member) => member.name === name)?.value;
    if (!next) {
      const nested = path.slice(depth + 1).reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
      return applyEdits(text, insertProperty(text, parent, name, nested));
    }
    if (next.type !== 'object') throw new Error(`"${name}" is not an object.`);
    parent = next;
  }
  return text;
}

/** Removes a property with its line. `modify` of jsonc-parser would join the line before it and the one after it. */
function removed(text: string, value: Node, path: readonly string[]): string {
  const property = value.parent;
  const { end, hasComma } = endOfProperty(text, value.offset + value.length);
  const isWholeLine =
    property !== undefined && isFirstOnLine(text, property.offset) && /^\s*?\r?\n/.test(text.slice(end));
  if (!isWholeLine || !hasComma) return applyEdits(text, modify(text, [...path], undefined, {}));
  const before = text.slice(0, property.offset).replace(/\r?\n[ \t]*$/, '');
  return before + text.slice(end);
}

function replaced(text: string, node: Node, value: unknown): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const content = formatJson(value, indentUnit(text)).replaceAll('\n', eol + indentAt(text, node.offset));
  return applyEdits(text, [{ offset: node.offset, length: node.length, content }]);
}

function indentUnit(text: string): string {
  return /^([ \t]+)\S/m.exec(text)?.[1] ?? '\t';
}

/**
 * Adds a property at the end of an object and changes nothing else; `modify` of jsonc-parser would reformat the
 * surrounding lines.
 */
function insertProperty(text: string, object: Node, key: string, value: unknown): TextChange[] {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const unit = indentUnit(text);
  const outer = indentAt(text, object.offset);
  const last = object.children?.at(-1);
  const inner = last && isFirstOnLine(text, last.offset) ? indentAt(text, last.offset) : outer + unit;
  const property = `${eol}${inner}${JSON.stringify(key)}: ${formatJson(value, unit).replaceAll('\n', eol + inner)}`;
  const close = object.offset + object.length - 1;
  const { end, hasComma } = last
    ? endOfProperty(text, last.offset + last.length)
    : { end: object.offset + text.slice(object.offset, close).trimEnd().length, hasComma: false };
  const isCloseOnLine = !text.slice(end, close).includes('\n');
  const added = property + (hasComma ? ',' : '') + (isCloseOnLine ? eol + outer : '');
  const change = { offset: end, length: isCloseOnLine ? close - end : 0, content: added };
  return last && !hasComma ? [{ offset: last.offset + last.length, length: 0, content: ',' }, change] : [change];
}

/**
 * Formats JSON with one line per property and with lists on one line, as is usual in configuration files written by
 * hand.
 */
function formatJson(value: unknown, unit: string): string {
  if (Array.isArray(value)) return `[${value.map((item) => formatJson(item, unit)).join(', ')}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? 'null';
  const properties = Object.entries(value).map(
    ([key, member]) => `${unit}${JSON.stringify(key)}: ${formatJson(member, unit).replaceAll('\n', `\n${unit}`)}`,
  );
  return properties.length === 0 ? '{}' : `{\n${properties.join(',\n')}\n}`;
}

/**
 * The end of a property, including its comma and the comments that begin on its line. `offset` is the end of its value.
 */
function endOfProperty(text: string, offset: number): { end: number; hasComma: boolean } {
  const part = /[ \t]*(,|\/\*[^]*?\*\/|\/\/[^\r\n]*)/y;
  let end = offset;
  let hasComma = false;
  part.lastIndex = end;
  for (let match = part.exec(text); match; match = part.exec(text)) {
    hasComma ||= match[1] === ',';
    end = part.lastIndex;
  }
  return { end, hasComma };
}

function indentAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', offset - 1) + 1))?.[0] ?? '';
}

function isFirstOnLine(text: string, offset: number): boolean {
  return text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset).trim() === '';
}
