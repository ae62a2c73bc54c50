/**
 * YAML as a tree with positions, read strictly: YAML 1.2 core, one document, unique keys, only texts and numbers as
 * keys, no tags, and no anchors. A file comes from a repository, so its size and depth are limited.
 */
import { t } from '@vscode/l10n';
import type { ParsedNode } from 'yaml';
import { LineCounter, isAlias, isMap, isScalar, isSeq, visit } from 'yaml';
import { visibleLine } from '../base/hostileText.js';
import { objectOf } from '../base/objectCopy.js';
import { valueCost } from '../base/valueCost.js';
import { parseYaml, yamlExcess } from '../schema/boundedYaml.js';

/** A position in a file; both numbers begin at 1. */
export interface FilePlace {
  line: number;
  column: number;
}

/** An incorrect part of a file. */
export interface FileProblem extends FilePlace {
  /** A sentence that states what is wrong and what is correct. */
  message: string;
}

/** One value with its position. Maps have `entries`, lists have `items`. */
export interface YamlNode extends FilePlace {
  value: unknown;
  entries?: readonly YamlEntry[];
  items?: readonly YamlNode[];
}

export interface YamlEntry extends FilePlace {
  key: string;
  node: YamlNode;
}

/** The member of a map with its key; undefined if there is none. */
export function entryOf(node: YamlNode | undefined, key: string): YamlEntry | undefined {
  return node?.entries?.find((entry) => entry.key === key);
}

/** The value of a member of a map; undefined if there is none. */
export function memberOf(node: YamlNode | undefined, key: string): YamlNode | undefined {
  return entryOf(node, key)?.node;
}

/** The text of a member of a map; undefined if there is none, or if it is not a text. */
export function memberText(node: YamlNode | undefined, key: string): string | undefined {
  const value = memberOf(node, key)?.value;
  return typeof value === 'string' ? value : undefined;
}

/** Maximum nesting depth, in levels. */
const maxDepth = 60;
const limits = { length: 1_000_000, depth: maxDepth, tokens: 200_000 } as const;
/** Maximum number of values that are converted, because anchors can multiply them. */
const maxValues = 100_000;
/**
 * Memory limit of the values, bytes (see `valueCost`). A worker sends them to the window, and in the copy that V8 makes,
 * an object with an index as name needs a place for each smaller index.
 */
const maxCost = 16_000_000;
/** Maximum number of problems that are reported. */
const maxProblems = 100;

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
  const excess = yamlExcess(text, limits);
  if (excess !== undefined) return { root: undefined, problems: [{ line: 1, column: 1, message: excessText(excess) }] };
  const lines = new LineCounter();
  const at = (offset: number): FilePlace => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const report = (offset: number, message: string) => {
    if (problems.length < maxProblems) problems.push({ ...at(offset), message });
  };
  try {
    const { document, errors, hasMore } = parseYaml(text, {
      lineCounter: lines,
      version: '1.2',
      schema: 'core',
      prettyErrors: false,
      // The check of the parser compares each key with all others. `convert` has its own.
      uniqueKeys: false,
    });
    // The parser reports its own overflow as an error of the file.
    if (errors.some(({ message }) => message.includes('call stack'))) throw new TooDeep();
    for (const { pos, message } of errors) report(pos[0], t('This is not valid YAML: {0}.', plain(message)));
    if (hasMore) report(document?.range[2] ?? 0, t('This is not valid YAML: {0}.', 'It contains multiple documents'));
    if (!document) return { root: undefined, problems };
    if (!allowsAnchors) reportExtras(document.contents, report);
    if (problems.length > 0 || !document.contents) return { root: undefined, problems };
    const targets = allowsAnchors ? targetsOf(document.contents) : new Map<ParsedNode, ParsedNode>();
    const root = convert(document.contents, { at, report, targets, budget: { left: maxValues } }, 0);
    if (valueCost(root.value, maxCost) > maxCost) report(0, excessText('tokens'));
    return { root: problems.length > 0 ? undefined : root, problems };
  } catch (error) {
    // The parser is recursive, and thousands of nested brackets exhaust the stack.
    if (!(error instanceof TooDeep) && !(error instanceof RangeError)) throw error;
    return { root: undefined, problems: [{ line: 1, column: 1, message: excessText('depth') }] };
  }
}

function excessText(excess: keyof typeof limits): string {
  switch (excess) {
    case 'length':
      return t('The file has more than {0} characters and was not read.', limits.length);
    case 'depth':
      return t('The file is nested more than {0} levels deep, or its anchors repeat too much.', maxDepth);
    case 'tokens':
      return t('The file has too many parts and was not read. Divide it into several files.');
  }
}

/**
 * The target of each alias: the last node before it with this anchor. Without this table, the parser would search the
 * whole file for each alias.
 */
function targetsOf(contents: ParsedNode): Map<ParsedNode, ParsedNode> {
  const targets = new Map<ParsedNode, ParsedNode>();
  const named = new Map<string, ParsedNode>();
  visit(contents, {
    Node: (_key, node) => {
      const target = isAlias(node) ? named.get(node.source) : undefined;
      if (target) targets.set(node as ParsedNode, target);
      else if (!isAlias(node) && node.anchor !== undefined) named.set(node.anchor, node as ParsedNode);
    },
  });
  return targets;
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
  at: (offset: number) => FilePlace;
  report: Report;
  /** The node that each alias refers to. */
  targets: ReadonlyMap<ParsedNode, ParsedNode>;
  /** The number of values that may still be converted. */
  budget: { left: number };
}

function convert(written: ParsedNode | null, conversion: Conversion, depth: number): YamlNode {
  const { at, report, targets, budget } = conversion;
  if (depth > maxDepth || budget.left-- <= 0) throw new TooDeep();
  if (written === null) return { line: 1, column: 1, value: null };
  const place = at(written.range[0]);
  const node = targets.get(written) ?? written;
  if (isMap(node)) {
    const names = new Set<string>();
    const entries = node.items.flatMap(({ key, value }): YamlEntry[] => {
      const name: unknown = isScalar(key) ? key.value : undefined;
      const offset = (key as ParsedNode | null)?.range[0] ?? written.range[0];
      if (typeof name !== 'string' && typeof name !== 'number') {
        report(offset, t('A key must be a string.'));
        return [];
      }
      if (names.has(String(name))) report(offset, t('This is not valid YAML: {0}.', 'Map keys must be unique'));
      names.add(String(name));
      return [{ ...at(offset), key: String(name), node: convert(value, conversion, depth + 1) }];
    });
    return { ...place, entries, value: objectOf(entries.map(({ key, node: { value } }) => [key, value])) };
  }
  if (isSeq(node)) {
    const items = node.items.map((item) => convert(item, conversion, depth + 1));
    return { ...place, items, value: items.map(({ value }) => value) };
  }
  return { ...place, value: isScalar(node) ? node.value : null };
}
