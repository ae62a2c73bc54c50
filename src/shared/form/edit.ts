/**
 * The edits of a form. An edit takes the whole state, usually with the address of a place, and returns a new whole
 * state. It does not modify the old state, so that edits can be undone. An edit with an unknown address has no effect.
 *
 * For typing, use `setAt`: with `typedText` for text and numbers, `{ kind: 'value', value }` for switches, choices, and
 * null, and `{ kind: 'json', text }` for JSON fields.
 */
import type { Field, Form, FormNode, ObjectNode } from './form.js';
import type { FormState, Item, JsonState, ListState, Member, ObjectState } from './formState.js';
import { stateOf, valueOf } from './formValue.js';
import type { JsonValue } from '../json.js';
import { isIdenticalJson, jsonText, parseJson } from './formJson.js';
import { memberField } from './members.js';
import { blankState } from './newState.js';
import type { Address } from './place.js';
import { fieldOfItem, nodeOf } from './places.js';

/**
 * The state of a text or number field after the user typed `text`. Clearing a field unsets it, unless its value must
 * exist, as for an item of a list (`isKept`): then the text becomes an empty string. To set an empty string in any
 * other field, use `{ kind: 'text', text: '' }`.
 */
export function typedText(node: FormNode, text: string, isKept: boolean): FormState {
  if (text === '' && !isKept) return { kind: 'absent' };
  return node.kind === 'number' ? { kind: 'number', text } : { kind: 'text', text };
}

/** Sets the state of a place. Creates unset groups on the path. A new property is inserted in schema order. */
export function setAt(form: Form, root: FormState, address: Address, next: FormState): FormState {
  return changeAt(form, root, address, () => next);
}

/** Sets a place that is not set: with the default, or with an empty value such as an empty group or list. */
export function addAt(form: Form, root: FormState, address: Address): FormState {
  return changeAt(form, root, address, (state, field) => (state.kind === 'absent' ? blankState(form, field) : state));
}

/** Sets the default of the schema. If there is no default, the place becomes unset. */
export function resetAt(form: Form, root: FormState, address: Address): FormState {
  return changeAt(form, root, address, (_, field) =>
    field.default === undefined ? { kind: 'absent' } : stateOf(form, field.node, field.default),
  );
}

/** Unsets a property, or removes an item or an additional property. */
export function clearAt(form: Form, root: FormState, address: Address): FormState {
  const step = address.at(-1);
  if (typeof step !== 'number') return setAt(form, root, address, { kind: 'absent' });
  return changeAt(form, root, address.slice(0, -1), (state) => {
    if (state.kind === 'list') return { ...state, items: state.items.filter(({ id }) => id !== step) };
    if (state.kind === 'object') return { ...state, members: state.members.filter(({ id }) => id !== step) };
    return { kind: 'absent' };
  });
}

/** Adds an item at the end of a list, or after the item with the ID `afterId`. */
export function addItem(form: Form, root: FormState, list: Address, afterId?: number): FormState {
  return changeAt(form, root, list, (state, field) => {
    const items = state.kind === 'list' ? state.items : [];
    const after = items.findIndex(({ id }) => id === afterId);
    const position = after < 0 ? items.length : after + 1;
    const item: Item = { id: freeId(items), state: blankState(form, fieldOfItem(form, nodeOf(form, field), position)) };
    return { kind: 'list', items: items.toSpliced(position, 0, item) };
  });
}

/** Inserts a copy of an item directly after the item. */
export function duplicateItem(form: Form, root: FormState, item: Address): FormState {
  return changeList(form, root, item, (list, position, original) =>
    list.items.toSpliced(position + 1, 0, { ...original, id: freeId(list.items) }),
  );
}

/**
 * Moves an item to the index `to`, which is counted after the item was removed from the list. The other items keep
 * their order.
 */
export function moveItem(form: Form, root: FormState, item: Address, to: number): FormState {
  return changeList(form, root, item, (list, position, moved) =>
    list.items.toSpliced(position, 1).toSpliced(Math.max(0, to), 0, moved),
  );
}

/** Adds an additional property to an object. The name may be empty until the user types it. */
export function addMember(form: Form, root: FormState, object: Address, name: string): FormState {
  return changeAt(form, root, object, (state, field) => {
    const members = state.kind === 'object' ? state.members : [];
    const node = nodeOf(form, field);
    const member = node.kind === 'object' ? memberField(form, node, name) : { field: form.other, isDeclared: false };
    return {
      kind: 'object',
      members: [...members, { name, state: blankState(form, member.field), id: freeId(members) }],
    };
  });
}

/**
 * Renames an additional property. While the user types, the name may be one that already exists; `stateProblems`
 * reports this.
 */
export function renameMember(form: Form, root: FormState, member: Address, name: string): FormState {
  const id = member.at(-1);
  return changeAt(form, root, member.slice(0, -1), (state) =>
    state.kind === 'object'
      ? {
          ...state,
          members: state.members.map((other) => (other.id === id && id !== undefined ? { ...other, name } : other)),
        }
      : state,
  );
}

/**
 * Selects a variant. Restores the previous input of the variant. If there is none, keeps the values that both variants
 * have in common. The input of the old variant is kept in `others`, so that switching loses nothing.
 */
export function chooseVariant(form: Form, root: FormState, address: Address, index: number): FormState {
  return changeAt(form, root, address, (state, field) => {
    const node = nodeOf(form, field);
    const variant = node.kind === 'variant' ? node.variants[index] : undefined;
    if (!variant) return state;
    if (state.kind !== 'variant') return { kind: 'variant', index, state: takeOver(form, variant, valueOf(state)) };
    if (state.index === index) return state;
    const others = [
      ...(state.others ?? []).filter((other) => other.index !== state.index),
      { index: state.index, state: state.state },
    ];
    const before = others.find((other) => other.index === index);
    return {
      kind: 'variant',
      index,
      state: before?.state ?? takeOver(form, variant, valueOf(state.state)),
      others: others.filter((other) => other.index !== index),
    };
  });
}

/** Selects or clears one option of a list that is shown as checkboxes. The items keep the order of the options. */
export function setChecked(form: Form, root: FormState, list: Address, option: number, isTicked: boolean): FormState {
  return changeAt(form, root, list, (state, field) => {
    const choice = nodeOf(form, fieldOfItem(form, nodeOf(form, field), 0));
    if (choice.kind !== 'choice') return state;
    const items = state.kind === 'list' ? state.items : [];
    const at = (value: JsonValue) =>
      items.find((item) => item.state.kind === 'value' && isIdenticalJson(item.state.value, value));
    const ticked = choice.options.filter(({ value }, index) => (index === option ? isTicked : at(value) !== undefined));
    let id = freeId(items);
    return {
      kind: 'list',
      items: ticked.map(({ value }) => at(value) ?? { id: id++, state: { kind: 'value', value } }),
    };
  });
}

/**
 * Converts a place to JSON text. The previous state, including incomplete input, is kept in `before`, so that `toForm`
 * can restore it if the text was not changed.
 */
export function toJson(form: Form, root: FormState, address: Address): FormState {
  return changeAt(form, root, address, (state, field) => {
    if (state.kind === 'json') return state;
    const value = valueOf(state);
    const text = value === undefined ? emptyText(nodeOf(form, field)) : jsonText(value, 2);
    return text === undefined ? state : { kind: 'json', text, before: { text, state } };
  });
}

/**
 * Converts a place from JSON text to fields. The place remains JSON if the text is not valid JSON or if the value does
 * not fit the place. Unchanged parts keep their previous state, including incomplete input, selected variants, and item
 * IDs.
 */
export function toForm(form: Form, root: FormState, address: Address): FormState {
  return changeAt(form, root, address, (state, field) =>
    state.kind === 'json' ? formOfJson(form, field, state) : state,
  );
}

/**
 * Transfers the input to a form with a different schema, for example after the server changed its tool. The whole value
 * is kept, but not the input of variants that are not selected. Incomplete text moves to the field with the same name
 * if it fits there.
 */
export function carryOver(form: Form, state: FormState): FormState {
  return stateOf(form, form.root.node, valueOf(state));
}

/** Sets the value of the whole form, for example from the history. Unchanged parts keep their state. */
export function setValue(form: Form, root: FormState, value: JsonValue | undefined): FormState {
  return keepSame(root, stateOf(form, form.root.node, value));
}

function formOfJson(form: Form, field: Field, { text, before }: JsonState): FormState {
  if (before?.text === text) return before.state;
  if (text.trim() === '') return { kind: 'absent' };
  const parsed = parseJson(text);
  const state = parsed && stateOf(form, field.node, parsed.value);
  // The text is not JSON, or no control can show its value, so the text is kept.
  if (!state || state.kind === 'json') return before ? { kind: 'json', text, before } : { kind: 'json', text };
  return before ? keepSame(before.state, state) : state;
}

function emptyText(node: FormNode): string {
  return node.kind === 'object' ? '{}' : node.kind === 'list' ? '[]' : '';
}

/** Returns `next`, with the old state for each part whose value did not change. */
function keepSame(old: FormState, next: FormState): FormState {
  if (isSameValue(old, next)) return old;
  if (old.kind === 'variant' && next.kind === 'variant' && old.index === next.index)
    return { ...old, state: keepSame(old.state, next.state) };
  if (old.kind === 'object' && next.kind === 'object') {
    const before = new Map(old.members.map((member) => [member.name, member]));
    const members = next.members.map((member): Member => {
      const same = before.get(member.name);
      return same ? { ...member, state: keepSame(same.state, member.state) } : member;
    });
    return { kind: 'object', members };
  }
  if (old.kind === 'list' && next.kind === 'list') {
    let id = freeId(old.items) + next.items.length;
    return {
      kind: 'list',
      items: next.items.map((item, index): Item => {
        const same = old.items[index];
        return same ? { id: same.id, state: keepSame(same.state, item.state) } : { ...item, id: id++ };
      }),
    };
  }
  return next;
}

function isSameValue(a: FormState, b: FormState): boolean {
  const [left, right] = [valueOf(a), valueOf(b)];
  return left === undefined || right === undefined ? left === right : isIdenticalJson(left, right);
}

/**
 * The initial state of a newly selected variant. It keeps a previous value that fits the variant. Of an object, it
 * keeps only the properties that the variant declares and that are not constants in it.
 */
function takeOver(form: Form, variant: Field, value: JsonValue | undefined): FormState {
  const blank = blankState(form, variant, true);
  if (value === undefined) return blank;
  const state = stateOf(form, variant.node, value);
  if (state.kind === 'json' || (state.kind === 'value' && state.value === null) || state.kind !== blank.kind)
    return blank;
  if (state.kind !== 'object' || blank.kind !== 'object') return state;
  const node = nodeOf(form, variant);
  const fixed = new Set(
    blank.members
      .map(({ name }) => name)
      .filter(
        (name) => node.kind === 'object' && nodeOf(form, memberField(form, node, name).field).kind === 'constant',
      ),
  );
  const kept = state.members.filter(
    (member) => member.id === undefined && member.state.kind !== 'json' && !fixed.has(member.name),
  );
  const names = new Set(kept.map(({ name }) => name));
  return { kind: 'object', members: [...blank.members.filter(({ name }) => !names.has(name)), ...kept] };
}

function changeList(
  form: Form,
  root: FormState,
  address: Address,
  change: (list: ListState, position: number, item: Item) => Item[],
): FormState {
  return changeAt(form, root, address.slice(0, -1), (state) => {
    if (state.kind !== 'list') return state;
    const position = state.items.findIndex(({ id }) => id === address.at(-1));
    const item = state.items[position];
    return item ? { ...state, items: change(state, position, item) } : state;
  });
}

function freeId(list: readonly { id?: number }[]): number {
  return list.reduce((largest, { id }) => Math.max(largest, id ?? 0), 0) + 1;
}

/** The whole state after a change of one place. */
function changeAt(
  form: Form,
  root: FormState,
  address: Address,
  change: (state: FormState, field: Field) => FormState,
): FormState {
  return changeIn(form, form.root, root, address, change);
}

function changeIn(
  form: Form,
  field: Field,
  state: FormState,
  [step, ...rest]: Address,
  change: (state: FormState, field: Field) => FormState,
): FormState {
  if (step === undefined) return change(state, field);
  const node = nodeOf(form, field);
  const inner = (innerField: Field, innerState: FormState) => changeIn(form, innerField, innerState, rest, change);
  const set = state.kind === 'absent' ? blankState(form, field) : state;
  if (set.kind === 'variant') {
    const variant = node.kind === 'variant' ? node.variants[set.index] : undefined;
    return variant ? { ...set, state: inner(variant, set.state) } : state;
  }
  if (set.kind === 'list') {
    return {
      ...set,
      items: set.items.map((item, position) =>
        item.id === step ? { ...item, state: inner(fieldOfItem(form, node, position), item.state) } : item,
      ),
    };
  }
  if (set.kind !== 'object' || node.kind !== 'object') return state;
  if (typeof step === 'number') {
    return {
      ...set,
      members: set.members.map((member) =>
        member.id === step
          ? { ...member, state: inner(memberField(form, node, member.name).field, member.state) }
          : member,
      ),
    };
  }
  return changeProperty(node, set, step, inner);
}

function changeProperty(
  node: ObjectNode,
  state: ObjectState,
  name: string,
  inner: (field: Field, state: FormState) => FormState,
): ObjectState {
  const position = node.properties.findIndex((property) => property.name === name);
  const property = node.properties[position];
  if (!property) return state;
  const index = state.members.findIndex((member) => member.name === name && member.id === undefined);
  const member = state.members[index];
  if (member) {
    const next = inner(property, member.state);
    return {
      ...state,
      members:
        next.kind === 'absent'
          ? state.members.toSpliced(index, 1)
          : state.members.with(index, { ...member, state: next }),
    };
  }
  const next = inner(property, { kind: 'absent' });
  if (next.kind === 'absent') return state;
  const earlier = new Set(node.properties.slice(0, position).map((other) => other.name));
  const last = state.members.findLastIndex((other) => other.id === undefined && earlier.has(other.name));
  return { ...state, members: state.members.toSpliced(last + 1, 0, { name, state: next }) };
}
