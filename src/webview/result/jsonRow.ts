/** The rows of a JSON tree: how a value is drawn, and which row is above or below another. */
import { t } from '@vscode/l10n';
import type { JsonNode, JsonPath } from '../../shared/result/resultModel.js';
import { el, icon } from '../page/dom.js';
import { valueText } from './controls.js';
import type { DrawContext } from './resultContext.js';

/** A drawn value of the tree. */
export interface JsonRow {
  element: HTMLElement;
  line: HTMLElement;
  node: JsonNode;
  path: JsonPath;
  parent?: JsonRow;
  /** The element that contains the children; absent for a value without children. */
  group?: HTMLElement;
  isOpen: boolean;
  children: JsonRow[];
  /** The indexes of the children that are shown. */
  order?: readonly number[];
}

/**
 * Draws a value as a line of the tree, collapsed.
 * @param name the key or the index of the value; undefined for the root.
 */
export function drawRow(
  node: JsonNode,
  path: JsonPath,
  name: { text: string; isIndex: boolean } | undefined,
  parent: JsonRow | undefined,
  context: DrawContext,
): JsonRow {
  const isBranch =
    (node.kind === 'object' && node.entries.length > 0) || (node.kind === 'array' && node.items.length > 0);
  const twistie = icon(isBranch ? 'chevron-right' : 'blank', 'result-twistie');
  const key =
    name === undefined ? undefined : el('span', { class: name.isIndex ? 'result-index' : 'result-key' }, name.text);
  const line = el(
    'div',
    { class: 'result-line' },
    twistie,
    key,
    name === undefined ? undefined : ': ',
    drawValue(node, context),
  );
  const element = el(
    'li',
    {
      class: 'result-item',
      attributes: {
        role: 'treeitem',
        tabindex: -1,
        'aria-level': depthOf(parent) + 1,
        'aria-expanded': isBranch ? 'false' : undefined,
      },
    },
    line,
  );
  const row: JsonRow = { element, line, node, path, ...(parent ? { parent } : {}), isOpen: false, children: [] };
  if (isBranch) {
    row.group = el('ul', { class: 'result-group', attributes: { role: 'group' } });
    row.group.hidden = true;
    element.append(row.group);
  }
  return row;
}

function drawValue(node: JsonNode, context: DrawContext): HTMLElement {
  const kind = `result-value result-value-${node.kind}`;
  switch (node.kind) {
    case 'object':
      return el(
        'span',
        { class: kind },
        node.entries.length === 0 && !node.isCut
          ? '{ }'
          : `{ ${preview(
              node.entries.map(({ key, label }) => label ?? key),
              node.isCut,
            )} }`,
      );
    case 'array':
      return el(
        'span',
        { class: kind },
        node.isCut
          ? t('[ {0} items and more ]', node.items.length)
          : node.items.length === 1
            ? t('[ 1 item ]')
            : t('[ {0} items ]', node.items.length),
      );
    case 'string': {
      const more =
        node.more === undefined
          ? undefined
          : el('span', { class: 'result-hint' }, t(' … {0} more characters', node.more));
      return el('span', { class: kind }, '"', valueText(node.text, context), '"', more);
    }
    case 'cut':
      return el('span', { class: 'result-hint' }, t('nested too deeply to be shown'));
    default:
      return el('span', { class: kind }, node.text);
  }
}

/** Shows whether the row is expanded. */
export function showFold({ element, line, group, isOpen }: JsonRow): void {
  if (!group) return;
  group.hidden = !isOpen;
  element.setAttribute('aria-expanded', String(isOpen));
  const twistie = line.firstElementChild;
  if (twistie) twistie.className = `codicon codicon-${isOpen ? 'chevron-down' : 'chevron-right'} result-twistie`;
}

/** The visible row below a row. */
export function nextRow(row: JsonRow): JsonRow | undefined {
  if (row.isOpen && row.children[0]) return row.children[0];
  for (let at: JsonRow | undefined = row; at; at = at.parent) {
    const siblings = at.parent?.children ?? [];
    const after = siblings[siblings.indexOf(at) + 1];
    if (after) return after;
  }
  return undefined;
}

/** The visible row above a row. */
export function previousRow(row: JsonRow): JsonRow | undefined {
  const siblings = row.parent?.children ?? [];
  const before = siblings[siblings.indexOf(row) - 1];
  return before ? lastVisible(before) : row.parent;
}

/** The last visible row below a row, or the row itself. */
export function lastVisible(row: JsonRow): JsonRow {
  const last = row.isOpen ? row.children.at(-1) : undefined;
  return last ? lastVisible(last) : row;
}

function depthOf(row: JsonRow | undefined): number {
  let depth = 0;
  for (let at = row; at; at = at.parent) depth++;
  return depth;
}

function preview(names: readonly string[], isCut: boolean | undefined): string {
  const shown = names.slice(0, 5).map((name) => (name.length > 24 ? `${name.slice(0, 24)}…` : name));
  return `${shown.join(', ')}${names.length > 5 || isCut === true ? ', …' : ''}`;
}
