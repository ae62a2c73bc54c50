import { t } from '@vscode/l10n';
import { tableOf, tablesIn } from '../../shared/result/jsonTable.js';
import type { FoundTable } from '../../shared/result/jsonTable.js';
import type { JsonDocument, JsonEntry, JsonNode } from '../../shared/result/resultModel.js';
import type { JsonSource } from '../../shared/result/resultRequest.js';
import { el } from '../page/dom.js';
import { textButton } from './controls.js';
import { drawJsonTree } from './drawJsonTree.js';
import { drawTable } from './drawTable.js';
import type { DrawContext } from './resultContext.js';

/** Draws arrays of objects as tables and other JSON as a tree. A button switches to a tree of the whole value. */
export function drawJson(json: JsonDocument, source: JsonSource, context: DrawContext): HTMLElement {
  const tables = tablesIn(json.root);
  if (tables.length === 0) return drawJsonTree(json.root, source, [], context);
  const view = el('div');
  const asTables = () => {
    const rest = restOf(json.root);
    const head =
      rest && rest.kind === 'object' && rest.entries.length > 0 ? [drawJsonTree(rest, source, [], context)] : [];
    view.replaceChildren(
      ...tables.map((found) => tableSection(found, source, context)),
      ...head,
      textButton(t('Show as Tree'), asTree, 'list-tree'),
    );
  };
  const asTree = () =>
    view.replaceChildren(
      drawJsonTree(json.root, source, [], context),
      textButton(t('Show as Table'), asTables, 'table'),
    );
  asTables();
  return view;
}

function restOf(root: JsonNode): JsonNode | undefined {
  if (root.kind !== 'object') return undefined;
  const entries: readonly JsonEntry[] = root.entries.filter(({ value }) => !tableOf(value));
  return { ...root, entries };
}

function tableSection({ path, label, node }: FoundTable, source: JsonSource, context: DrawContext): HTMLElement {
  const { id, send } = context;
  const table = tableOf(node);
  if (!table) return el('div');
  const isCut = node.kind === 'array' && node.isCut === true;
  const size = isCut ? t('the first {0} rows', table.rows.length) : t('{0} rows', table.rows.length);
  const head = el(
    'div',
    { class: 'result-bar' },
    label === '' ? undefined : el('span', { class: 'result-key' }, label),
    el('span', { class: 'result-hint' }, size),
    el('span', { class: 'result-space' }),
    textButton(t('Copy'), () => send({ type: 'exportTable', id, source, path, to: 'clipboard' }), 'copy'),
    textButton(t('Export CSV…'), () => send({ type: 'exportTable', id, source, path, to: 'file' }), 'export'),
  );
  return el(
    'div',
    { class: 'result-part' },
    head,
    drawTable(table, label === '' ? t('Result as a table') : label, context),
  );
}
