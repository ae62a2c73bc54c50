import { t } from '@vscode/l10n';
import type { JsonHit } from '../../shared/result/findText.js';
import { hitsInJson, nodesWithHits } from '../../shared/result/findText.js';
import type { JsonNode, JsonPath } from '../../shared/result/resultModel.js';
import { pathText } from '../../shared/result/resultModel.js';
import type { JsonSource } from '../../shared/result/resultRequest.js';
import { el } from '../page/dom.js';
import { textButton } from './controls.js';
import type { Findable, FindHit } from './find/findable.js';
import { rangeIn } from './find/findable.js';
import type { DrawContext } from './resultContext.js';
import type { JsonRow } from './jsonRow.js';
import { drawRow, lastVisible, nextRow, previousRow, showFold } from './jsonRow.js';

/** Number of children that are drawn in one step. A button at the end of the list draws more. */
const childrenPerStep = 200;
/** Deeper levels of a tree are initially expanded only as long as the tree has at most this number of lines. */
const openLines = 60;

/**
 * Draws a JSON value as a tree.
 * @param opened properties of the root that are expanded, however many lines they have.
 */
export function drawJsonTree(
  root: JsonNode,
  source: JsonSource,
  base: JsonPath,
  context: DrawContext,
  opened: JsonPath = [],
): HTMLElement {
  const tree = new JsonTree(root, source, base, context);
  for (const key of opened) tree.expand(key);
  context.findables?.add(tree);
  return tree.element;
}

/**
 * A JSON value as a tree (WAI-ARIA tree pattern: one tab stop; arrow keys move and collapse). The path of the selected
 * line and its actions are shown below. Children are drawn when their parent is expanded.
 */
export class JsonTree implements Findable {
  readonly element: HTMLElement;
  private readonly tree: HTMLElement;
  private readonly pathLine = el('span', { class: 'result-path' });
  private top: JsonRow;
  private current: JsonRow;
  private readonly rows = new Map<HTMLElement, JsonRow>();
  /** The values that the filter shows. Undefined without a filter. */
  private shown: ReadonlySet<JsonNode> | undefined;

  constructor(
    private readonly root: JsonNode,
    source: JsonSource,
    private readonly base: JsonPath,
    private readonly context: DrawContext,
  ) {
    this.tree = el('ul', { class: 'result-tree', attributes: { role: 'tree', 'aria-label': t('Result as a tree') } });
    this.top = this.row(root, base, undefined, undefined);
    this.tree.append(this.top.element);
    this.open(this.top);
    this.openWhile(this.top, { left: openLines });
    this.current = this.top;
    this.choose(this.top, false);
    this.tree.addEventListener('keydown', (event) => this.onKey(event));
    this.tree.addEventListener('click', (event) => this.onClick(event));
    const copy = (what: 'path' | 'value') =>
      context.send({ type: 'copyJson', id: context.id, what, source, path: this.current.path });
    const bar = el(
      'div',
      { class: 'result-bar result-path-bar' },
      this.pathLine,
      el('span', { class: 'result-space' }),
      textButton(t('Copy Path'), () => copy('path')),
      textButton(t('Copy Value'), () => copy('value'), 'copy'),
    );
    // The path is shown only after the tree has received the focus, because only then is a line selected by the user.
    bar.hidden = true;
    this.element = el('div', { class: 'result-json', on: { focusin: () => (bar.hidden = false) } }, this.tree, bar);
  }

  find(pattern: RegExp): readonly FindHit[] {
    return hitsInJson(this.root, pattern, this.base).map((hit) => ({
      reveal: () => this.reveal(hit),
      peek: () => this.peek(hit),
    }));
  }

  filter(pattern: RegExp | undefined): void {
    this.shown = pattern && nodesWithHits(this.root, pattern);
    this.rows.clear();
    this.top = this.row(this.root, this.base, undefined, undefined);
    this.tree.replaceChildren(this.top.element);
    this.open(this.top);
    this.openWhile(this.top, { left: openLines });
    this.current = this.top;
    this.choose(this.top, false);
  }

  /** Expands a property of the root. */
  expand(key: JsonPath[number]): void {
    const row = this.top.children.find(({ path }) => path.at(-1) === key);
    if (row) this.open(row);
  }

  /** Draws and expands the values that contain the hit, and returns the range of the hit. */
  reveal(hit: JsonHit): Range | undefined {
    return this.rangeOf(hit, (row, index) => {
      this.open(row);
      while (row.children.length <= index) this.addChildren(row, childrenPerStep);
    });
  }

  /** The range of the hit, if the values that contain it are drawn and expanded. */
  peek(hit: JsonHit): Range | undefined {
    return this.rangeOf(hit, () => undefined);
  }

  private rangeOf(hit: JsonHit, prepare: (row: JsonRow, index: number) => void): Range | undefined {
    let row: JsonRow | undefined = this.top;
    for (const step of hit.path.slice(this.base.length)) {
      const index = this.orderOf(row).findIndex((at) => stepAt(row?.node, at) === step);
      if (index < 0) return undefined;
      prepare(row, index);
      row = row.isOpen ? row.children[index] : undefined;
      if (!row) return undefined;
    }
    const { line, node } = row;
    if (hit.part === 'key') {
      const key = line.querySelector('.result-key');
      return key ? rangeIn(key, hit) : undefined;
    }
    const value = line.querySelector('.result-value');
    const quote = node.kind === 'string' ? 1 : 0;
    return value ? rangeIn(value, { start: hit.start + quote, end: hit.end + quote }) : undefined;
  }

  /** The indexes of the children that the filter shows. */
  private orderOf(row: JsonRow): readonly number[] {
    return (row.order ??= childrenOf(row.node).flatMap((child, index) =>
      !this.shown || this.shown.has(child) ? [index] : [],
    ));
  }

  private row(
    node: JsonNode,
    path: JsonPath,
    name: { text: string; isIndex: boolean } | undefined,
    parent: JsonRow | undefined,
  ): JsonRow {
    const row = drawRow(node, path, name, parent, this.context);
    this.rows.set(row.element, row);
    return row;
  }

  private open(row: JsonRow): void {
    if (!row.group || row.isOpen) return;
    row.isOpen = true;
    if (row.children.length === 0) this.addChildren(row, childrenPerStep);
    showFold(row);
  }

  private close(row: JsonRow): void {
    row.isOpen = false;
    showFold(row);
  }

  private addChildren(row: JsonRow, limit: number): void {
    const { group, node } = row;
    if (!group) return;
    group.querySelector(':scope > .result-rest')?.remove();
    const first = row.children.length;
    const order = this.orderOf(row);
    const total = order.length;
    const end = Math.min(total, first + limit);
    for (let index = first; index < end; index++) {
      const child = this.child(row, order[index] ?? 0);
      if (!child) break;
      row.children.push(child);
      group.append(child.element);
    }
    const isCut = (node.kind === 'object' || node.kind === 'array') && node.isCut === true;
    if (end < total)
      group.append(
        el(
          'li',
          { class: 'result-rest', attributes: { role: 'none' } },
          textButton(t('Show {0} More', Math.min(limit, total - end)), () => this.addChildren(row, limit)),
        ),
      );
    else if (isCut)
      group.append(
        el(
          'li',
          { class: 'result-rest result-hint', attributes: { role: 'none' } },
          t('Only a part of this value is shown.'),
        ),
      );
  }

  private child(row: JsonRow, index: number): JsonRow | undefined {
    const { node } = row;
    if (node.kind === 'object') {
      const entry = node.entries[index];
      return (
        entry &&
        this.row(entry.value, [...row.path, entry.key], { text: entry.label ?? entry.key, isIndex: false }, row)
      );
    }
    const item = node.kind === 'array' ? node.items[index] : undefined;
    return item && this.row(item, [...row.path, index], { text: String(index), isIndex: true }, row);
  }

  /** Expands the tree level by level until `room` lines are used, so that a small value is completely visible. */
  private openWhile(row: JsonRow, room: { left: number }): void {
    room.left -= row.children.length;
    let level = row.children;
    while (level.length > 0) {
      const next: JsonRow[] = [];
      for (const child of level) {
        const size =
          child.node.kind === 'object'
            ? child.node.entries.length
            : child.node.kind === 'array'
              ? child.node.items.length
              : 0;
        if (size === 0) continue;
        if (size > room.left) return;
        this.open(child);
        room.left -= size;
        next.push(...child.children);
      }
      level = next;
    }
  }

  private choose(row: JsonRow, withFocus = true): void {
    this.current.element.tabIndex = -1;
    this.current.element.setAttribute('aria-selected', 'false');
    this.current = row;
    row.element.tabIndex = 0;
    row.element.setAttribute('aria-selected', 'true');
    this.pathLine.textContent = pathText(row.path);
    if (withFocus) row.element.focus();
  }

  private onClick(event: MouseEvent): void {
    if (!(event.target instanceof Element) || event.target.closest('button, a')) return;
    const row = this.rowOf(event.target);
    if (!row) return;
    this.choose(row);
    // A click that selects text must not collapse the row.
    if (getSelection()?.isCollapsed === false) return;
    if (row.isOpen) this.close(row);
    else this.open(row);
  }

  private onKey(event: KeyboardEvent): void {
    const { current } = this;
    if (event.target !== current.element || event.altKey || event.metaKey || event.ctrlKey) return;
    const target = this.move(event.key, current);
    if (target === undefined) return;
    event.preventDefault();
    if (target !== current) this.choose(target);
  }

  /** The row that a key moves to. Undefined for other keys. */
  private move(key: string, row: JsonRow): JsonRow | undefined {
    switch (key) {
      case 'ArrowDown':
        return nextRow(row) ?? row;
      case 'ArrowUp':
        return previousRow(row) ?? row;
      case 'ArrowRight':
        if (row.group && !row.isOpen) this.open(row);
        else return row.children[0] ?? row;
        return row;
      case 'ArrowLeft':
        if (!row.isOpen) return row.parent ?? row;
        this.close(row);
        return row;
      case 'Enter':
      case ' ':
        if (row.isOpen) this.close(row);
        else this.open(row);
        return row;
      case 'Home':
        return this.top;
      case 'End':
        return lastVisible(this.top);
      default:
        return undefined;
    }
  }

  private rowOf(element: Element): JsonRow | undefined {
    const item = element.closest('li.result-item');
    return item instanceof HTMLElement ? this.rows.get(item) : undefined;
  }
}

function childrenOf(node: JsonNode): readonly JsonNode[] {
  return node.kind === 'object' ? node.entries.map(({ value }) => value) : node.kind === 'array' ? node.items : [];
}

/** The step of a path to a child. */
function stepAt(node: JsonNode | undefined, index: number): JsonPath[number] | undefined {
  return node?.kind === 'object' ? node.entries[index]?.key : index;
}
