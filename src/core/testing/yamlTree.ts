/**
 * YAML as a tree with positions, read strictly: YAML 1.2 core, one document, unique keys, only texts as keys, no tags,
 * and no anchors. A file comes from a repository, so its size and depth are limited.
 */
import { t } from '@vscode/l10n';
import type { ParsedNode } from 'yaml';
import { LineCounter, isAlias, isMap, isScalar, isSeq, parseDocument, visit } from 'yaml';
import { visibleLine } from '../base/hostileText.js';

/** A position in a file; both numbers begin at 1. */
export interface Place {
  line: number;
  column: number;
}

/** A part of a file that is wrong. */
export interface FileProblem extends Place {
  /** A sentence that states what is wrong and what is correct. */
  message: string;
}

/** One value with its position. Maps have `entries`, lists have `items`. */
export interface YamlNode extends Place {
  value: unknown;
  entries?: readonly YamlEntry[];
  items?: readonly YamlNode[];
}

export interface YamlEntry extends Place {
  key: string;
  node: YamlNode;
}

/** Maximum size of a file, in characters. */
const maxLength = 1_000_000;
/** Maximum nesting depth, in levels. */
const maxDepth = 60;

class TooDeep extends Error {}

/**
 * Parses the text of a file. Never throws.
 * @param allowsAnchors true for files of other tools, whose formats allow anchors and tags.
 */
export function readYaml(
  text: string,
  allowsAnchors = false,
): { root: YamlNode | undefined; problems: readonly FileProblem[] } {
  const problems: FileProblem[] = [];
  if (text.length > maxLength) {
    const message = t('The file has more than {0} characters and was not read.', maxLength);
    return { root: undefined, problems: [{ line: 1, column: 1, message }] };
  }
  const lines = new LineCounter();
  const at = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const report = (offset: number, message: string) => problems.push({ ...at(offset), message });
  try {
    const document = parseDocument(text, {
      lineCounter: lines,
      version: '1.2',
      schema: 'core',
      prettyErrors: false,
      uniqueKeys: true,
    });
    // The parser reports its own overflow as an error of the file.
    if (document.errors.some(({ message }) => message.includes('call stack'))) throw new TooDeep();
    for (const { pos, message } of document.errors) report(pos[0], t('This is not valid YAML: {0}.', plain(message)));
    if (!allowsAnchors) reportExtras(document.contents, report);
    if (problems.length > 0 || !document.contents) return { root: undefined, problems };
    const aliases = (node: ParsedNode) => (isAlias(node) ? node.resolve(document) : node) as ParsedNode | undefined;
    const root = convert(document.contents, { at, report, aliases, budget: { left: 100_000 } }, 0);
    return { root: problems.length > 0 ? undefined : root, problems };
  } catch (error) {
    // The parser is recursive, and thousands of nested brackets exhaust the stack.
    if (!(error instanceof TooDeep) && !(error instanceof RangeError)) throw error;
    const message = t('The file is nested more than {0} levels deep, or its anchors repeat too much.', maxDepth);
    return { root: undefined, problems: [{ line: 1, column: 1, message }] };
  }
}

function plain(message: string): string {
  return visibleLine(message.replace(/;.*$/s, ''), 200).replace(/\.$/, '');
}

type Report = (offset: number, message: string) => void;

function reportExtras(contents: ParsedNode | null, report: Report): void {
  visit(contents, {
    Node: (_key, node) => {
      const offset = node.range?.[0] ?? 0;
      if (isAlias(node)) report(offset, t('References such as *name are not allowed. Write the value here.'));
      else if (node.anchor !== undefined) report(offset, t('Anchors such as &name are not allowed.'));
      else if (node.tag !== undefined) report(offset, t('Tags such as !name are not allowed.'));
    },
  });
}

interface Conversion {
  at: (offset: number) => Place;
  report: Report;
  aliases: (node: ParsedNode) => ParsedNode | undefined;
  /** The number of values that may still be converted, because anchors can multiply values. */
  budget: { left: number };
}

function convert(written: ParsedNode | null, conversion: Conversion, depth: number): YamlNode {
  const { at, report, aliases, budget } = conversion;
  if (depth > maxDepth || budget.left-- <= 0) throw new TooDeep();
  if (written === null) return { line: 1, column: 1, value: null };
  const place = at(written.range[0]);
  const node = aliases(written);
  if (isMap(node)) {
    const entries = node.items.flatMap(({ key, value }): YamlEntry[] => {
      const name: unknown = isScalar(key) ? key.value : undefined;
      const offset = (key as ParsedNode | null)?.range[0] ?? written.range[0];
      if (typeof name !== 'string' && typeof name !== 'number') {
        report(offset, t('A key must be a text.'));
        return [];
      }
      return [{ ...at(offset), key: String(name), node: convert(value, conversion, depth + 1) }];
    });
    return { ...place, entries, value: Object.fromEntries(entries.map(({ key, node: { value } }) => [key, value])) };
  }
  if (isSeq(node)) {
    const items = node.items.map((item) => convert(item, conversion, depth + 1));
    return { ...place, items, value: items.map(({ value }) => value) };
  }
  return { ...place, value: isScalar(node) ? node.value : null };
}
