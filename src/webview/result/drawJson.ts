import { t } from '@vscode/l10n';
import { tableOf, tablesIn } from '../../shared/result/jsonTable.js';
import type { FoundTable } from '../../shared/result/jsonTable.js';
import type { JsonDocument, JsonEntry, JsonNode } from '../../shared/result/resultModel.js';
import type { JsonSource } from '../../shared/result/resultRequest.js';
import { el } from '../page/dom.js';
import { iconButton, textButton } from './controls.js';
import { TableView } from './drawTable.js';
import { drawJsonTree } from './jsonTree.js';
import { drawnText } from './find/findable.js';
import type { DrawContext } from './resultContext.js';

/** Draws arrays of objects as tables and other JSON as a tree. A button switches to a tree of the whole value. */
export function drawJson(json: JsonDocument, source: JsonSource, context: DrawContext): HTMLElement {
  const tables = tablesIn(json.root);
  if (tables.length === 0) return drawJsonTree(json.root, source, [], context);
  const view = el('div');
  const asTables = () => {
    const rest = restOf(json.root);
    const head = rest ? [drawRest(rest, source, context)] : [];
    view.replaceChildren(
      ...tables.map((found, index) => tableSection(found, source, context, index === 0 ? asTree : undefined)),
      ...head,
    );
  };
  const asTree = () =>
    view.replaceChildren(
      el(
        'div',
        { class: 'result-bar' },
        el('span', { class: 'result-space' }),
        iconButton('table', t('Show as Table'), asTables),
      ),
      drawJsonTree(
        json.root,
        source,
        [],
        context,
        tables.flatMap(({ path }) => path),
      ),
    );
  asTables();
  return view;
}

function restOf(root: JsonNode): JsonNode | undefined {
  if (root.kind !== 'object') return undefined;
  const entries: readonly JsonEntry[] = root.entries.filter(({ value }) => !tableOf(value));
  return entries.length === 0 ? undefined : { ...root, entries };
}

const maxFacts = 8;

/** Draws the properties that are not tables: a few simple values as one line, anything else as a tree. */
function drawRest(rest: JsonNode, source: JsonSource, context: DrawContext): HTMLElement {
  const entries = rest.kind === 'object' && rest.isCut !== true ? rest.entries : [];
  const isPlain = ({ value }: JsonEntry) =>
    value.kind !== 'object' && value.kind !== 'array' && value.kind !== 'cut' && value.text.length <= 80;
  if (entries.length === 0 || entries.length > maxFacts || !entries.every(isPlain))
    return drawJsonTree(rest, source, [], context);
  const facts = entries.map(({ key, label, value }) =>
    el('span', {}, el('span', { class: 'result-key' }, label ?? key), ': ', 'text' in value ? value.text : ''),
  );
  const line = el('p', { class: 'result-facts' }, ...facts);
  context.findables?.add(drawnText(line));
  return line;
}

/** @param asTree shows the whole value as a tree. Absent if another table has the button. */
function tableSection(
  { path, label, node }: FoundTable,
  source: JsonSource,
  context: DrawContext,
  asTree: (() => void) | undefined,
): HTMLElement {
  const { id, send } = context;
  const table = tableOf(node);
  if (!table) return el('div');
  const isCut = node.kind === 'array' && node.isCut === true;
  const total = table.rows.length;
  const size = el('span', { class: 'result-hint', attributes: { role: 'status' } });
  const name = label === '' ? t('Result as a table') : label;
  const view = new TableView(table, name, { source, path }, context, (count) => {
    size.textContent =
      count < total
        ? t('{0} of {1} rows', count, total)
        : isCut
          ? t('the first {0} rows', total)
          : total === 1
            ? t('1 row')
            : t('{0} rows', total);
  });
  view.isCut = isCut;
  context.findables?.add(view);
  const head = el(
    'div',
    { class: 'result-bar' },
    label === '' ? undefined : el('span', { class: 'result-key' }, label),
    size,
    el('span', { class: 'result-space' }),
    asTree && iconButton('list-tree', t('Show as Tree'), asTree),
    view.filterButton,
    textButton(t('Copy'), () => send({ type: 'exportTable', id, source, path, to: 'clipboard' }), 'copy'),
    textButton(t('Export CSV…'), () => send({ type: 'exportTable', id, source, path, to: 'file' }), 'export'),
  );
  return el('div', { class: 'result-part' }, head, view.element);
}
