/**
 * Lists of flat objects that are shown as a table: whether a list fits, the text of a cell, and the state of a cell for
 * a text.
 */
import type { JsonValue } from '../../json.js';
import type { Field, Form, FormNode, ListNode, ObjectNode, Property } from '../form.js';
import type { FormState } from '../formState.js';
import { valueOf } from '../formValue.js';
import { isIdenticalJson, jsonText } from '../formJson.js';
import { nodeOf } from '../places.js';
import type { Place } from '../place.js';

/** Maximum number of columns and rows of a table. Larger lists are drawn in another way. */
const maxColumns = 30;
export const maxRows = 1_000;

/**
 * The columns of a list that can be a table. Each item must be an object with 2 to 30 simple properties, none of them
 * secret or conditional, whose schema declares no additional properties. Undefined for all other lists.
 */
export function columnsOf(form: Form, node: FormNode): Property[] | undefined {
  const item = rowNode(form, node);
  if (!item || item.properties.length < 2 || item.properties.length > maxColumns) return undefined;
  const isFlat = item.properties.every(
    (property) => property.isSecret !== true && isCell(nodeOf(form, property)) && property.condition === undefined,
  );
  return isFlat && item.more?.isDeclared !== true ? item.properties : undefined;
}

function rowNode(form: Form, node: FormNode): ObjectNode | undefined {
  if (node.kind !== 'list' || node.prefix.length > 0 || !node.items) return undefined;
  const item = nodeOf(form, node.items);
  return item.kind === 'object' ? item : undefined;
}

/** The field of each row. */
export function rowField(form: Form, node: ListNode): Field {
  return node.items ?? form.other;
}

function isCell({ kind }: FormNode): boolean {
  return kind === 'text' || kind === 'number' || kind === 'switch' || kind === 'choice' || kind === 'constant';
}

/** Whether a table can show the whole state: it has at most 1,000 rows, and no item has a property without a column. */
export function canGrid(form: Form, { node, state }: Place): boolean {
  if (!columnsOf(form, node)) return false;
  if (state.kind === 'absent') return true;
  return (
    state.kind === 'list' &&
    state.items.length <= maxRows &&
    state.items.every(({ state: row }) => row.kind === 'object' && row.members.every(({ id }) => id === undefined))
  );
}

/**
 * The text of a cell. A value of a choice is shown as its label. A value that does not have the type of its column is
 * shown as JSON, except that a text is shown unchanged.
 */
export function cellText(node: FormNode, state: FormState): string {
  switch (state.kind) {
    case 'absent':
      return '';
    case 'text':
    case 'number':
      return state.text;
    case 'value': {
      const option =
        node.kind === 'choice' ? node.options.find(({ value }) => isIdenticalJson(value, state.value)) : undefined;
      return option?.label ?? plainText(state.value);
    }
    default: {
      const value = valueOf(state);
      return value === undefined ? '' : plainText(value);
    }
  }
}

function plainText(value: JsonValue): string {
  return typeof value === 'string' ? value : (jsonText(value) ?? '…');
}

const words = new Map([
  ['true', true],
  ['yes', true],
  ['1', true],
  ['false', false],
  ['no', false],
  ['0', false],
]);

/**
 * The state of a cell after the user entered `text`, converted to the type of the column. A text that does not fit is
 * kept, so that validation can report it. An empty text unsets the cell.
 */
export function cellState(form: Form, field: Field, text: string, options?: { isDecimalComma: boolean }): FormState {
  const node = nodeOf(form, field);
  const plain = text.trim();
  if (text === '' || (plain === '' && node.kind !== 'text')) return { kind: 'absent' };
  if (plain === 'null' && node.isNullable === true && node.kind !== 'text') return { kind: 'value', value: null };
  switch (node.kind) {
    case 'text':
      return { kind: 'text', text };
    case 'number':
      return {
        kind: 'number',
        text: options?.isDecimalComma === true && /^[+-]?\d+,\d+$/.test(plain) ? plain.replace(',', '.') : plain,
      };
    case 'switch': {
      const value = words.get(plain.toLowerCase());
      return value === undefined ? wrong(text) : { kind: 'value', value };
    }
    case 'choice':
      return choiceState(node.options, plain) ?? wrong(text);
    case 'constant':
      return choiceState([node], plain) ?? wrong(text);
    default:
      return wrong(text);
  }
}

function choiceState(options: readonly { value: JsonValue; label: string }[], text: string): FormState | undefined {
  const isExact = ({ value, label }: { value: JsonValue; label: string }) =>
    plainText(value) === text || label === text;
  const isAlike = ({ value, label }: { value: JsonValue; label: string }) =>
    [plainText(value), label].some((one) => one.toLowerCase() === text.toLowerCase());
  const option = options.find(isExact) ?? options.find(isAlike);
  return option && { kind: 'value', value: option.value };
}

function wrong(text: string): FormState {
  return { kind: 'json', text: JSON.stringify(text) };
}
