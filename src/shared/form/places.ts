/**
 * Combines form and state into the places that a page draws. A page starts with `rootPlace`, draws the place according
 * to its `node.kind` and `state.kind`, and continues with `placesIn`.
 *
 * How a place is drawn, in this order:
 * 1. `state.kind` is `json`: a field for JSON text, for any node.
 * 2. The state is the value null, and the node is neither a choice nor a constant: "null", with a button that unsets
 *   the place, so that another value can be entered.
 * 3. `state.kind` is `absent`: the empty control of the node with `field.default` as its placeholder. In place of an
 *   unset group, a button for `addAt` is drawn.
 * 4. Otherwise: the control of the node; see form.ts.
 */
import type { Field, Form, FormNode } from './form.js';
import type { FormState, Member, ObjectState } from './formState.js';
import { pointerTo } from '../json.js';
import { isIdenticalJson } from './formJson.js';
import { memberField } from './members.js';
import type { Address, Place } from './place.js';

/** The place of the whole value. */
export function rootPlace(form: Form, state: FormState): Place {
  return place(form, { address: [], path: '', field: form.root, state, role: 'root' });
}

/**
 * The places that are directly inside a place: declared properties in schema order, set or not, followed by additional
 * properties; the items of a list; the content of a variant. Empty if nothing is set or if the value is edited as JSON.
 */
export function placesIn(form: Form, outer: Place): Place[] {
  const { node, state } = outer;
  switch (state.kind) {
    case 'object':
      return node.kind === 'object' ? [...propertyPlaces(form, outer, state), ...memberPlaces(form, outer, state)] : [];
    case 'list': {
      let index = 0;
      return state.items.map((item, position) => {
        const field = fieldOfItem(form, node, position);
        const role = node.kind === 'list' && position < node.prefix.length ? 'prefix' : 'item';
        const inner = place(form, {
          address: [...outer.address, item.id],
          path: pointerTo(outer.path, index),
          field,
          state: item.state,
          role,
          index: position,
        });
        // An unset item is not part of the value, so it does not advance the index in the JSON Pointers.
        if (item.state.kind !== 'absent') index++;
        return inner;
      });
    }
    case 'variant': {
      const field = node.kind === 'variant' ? node.variants[state.index] : undefined;
      return field
        ? [
            place(form, {
              address: [...outer.address, 0],
              path: outer.path,
              field,
              state: state.state,
              role: 'content',
            }),
          ]
        : [];
    }
    default:
      return [];
  }
}

function propertyPlaces(form: Form, outer: Place, state: ObjectState): Place[] {
  const set = new Map(
    state.members.filter(({ id }) => id === undefined).map(({ name, state: member }) => [name, member]),
  );
  const properties = outer.node.kind === 'object' ? outer.node.properties : [];
  return properties.map((field) =>
    place(form, {
      address: [...outer.address, field.name],
      path: pointerTo(outer.path, field.name),
      field,
      state: set.get(field.name) ?? { kind: 'absent' },
      role: 'property',
      name: field.name,
    }),
  );
}

function memberPlaces(form: Form, outer: Place, state: ObjectState): Place[] {
  return state.members.flatMap((member) => {
    if (member.id === undefined || outer.node.kind !== 'object') return [];
    const { field } = memberField(form, outer.node, member.name);
    return [
      place(form, {
        address: [...outer.address, member.id],
        path: pointerTo(outer.path, member.name),
        field,
        state: member.state,
        role: 'member',
        name: member.name,
      }),
    ];
  });
}

function place(form: Form, rest: Omit<Place, 'key' | 'node'>): Place {
  return { ...rest, key: keyOf(rest.address), node: nodeOf(form, rest.field) };
}

/** The key of an address. It distinguishes numbers from names, because a property may be named `1`. */
function keyOf(address: Address): string {
  return address.map((step) => (typeof step === 'number' ? `#${step}` : `/${JSON.stringify(step)}`)).join('');
}

/** The node of a field. */
export function nodeOf(form: Form, field: Field): FormNode {
  return form.nodes[field.node] ?? { kind: 'json', reason: 'impossible' };
}

/** The field of the item at `position` in a list. */
export function fieldOfItem(form: Form, node: FormNode, position: number): Field {
  return (node.kind === 'list' ? (node.prefix[position] ?? node.items) : undefined) ?? form.other;
}

/**
 * The place at which a problem with this JSON Pointer is shown: the innermost drawn place on the path. A problem inside
 * a JSON field is shown at that field.
 */
export function placeAt(form: Form, state: FormState, path: string): Place {
  let current = rootPlace(form, state);
  for (;;) {
    const here = current.path;
    const next = placesIn(form, current).find((inner) =>
      inner.role === 'content' ? true : path === inner.path || path.startsWith(`${inner.path}/`),
    );
    if (!next || (here === path && next.role !== 'content')) return current;
    current = next;
  }
}

/** The places on the path to a place, outermost first. They must be expanded to show the place. */
export function placesOnPath(form: Form, state: FormState, address: Address): Place[] {
  const places = [rootPlace(form, state)];
  for (const step of address) {
    const last = places.at(-1);
    const next = last && placesIn(form, last).find((inner) => inner.address.at(-1) === step);
    if (!next) break;
    places.push(next);
  }
  return places;
}

/**
 * Whether the field must show several lines, so that a `textarea` is drawn. A `textarea` converts `\r\n` to `\n`, so
 * its value must be written to the state only after the user has typed.
 */
export function needsLines({ field, state }: Place): boolean {
  return field.isMultiline === true || (state.kind === 'text' && /[\n\r]/.test(state.text));
}

/** Whether checkboxes can show the state: every item is one of the options, without duplicates. */
export function canShowCheckboxes(form: Form, { node, state }: Place): boolean {
  if (node.kind !== 'list' || node.isTickList !== true || !node.items) return false;
  if (state.kind === 'absent') return true;
  const choice = nodeOf(form, node.items);
  if (state.kind !== 'list' || choice.kind !== 'choice') return false;
  const values = state.items.map((item) =>
    item.state.kind === 'value'
      ? choice.options.findIndex(({ value }) => item.state.kind === 'value' && isIdenticalJson(value, item.state.value))
      : -1,
  );
  return values.every((index) => index >= 0) && new Set(values).size === values.length;
}

/** Whether one more item is allowed. */
export function canAddItem({ node, state }: Place): boolean {
  const count = state.kind === 'list' ? state.items.length : 0;
  return (
    node.kind === 'list' &&
    (node.items !== undefined || count < node.prefix.length) &&
    count < (node.maxItems ?? Infinity)
  );
}

/** Whether one more additional property is allowed. */
export function canAddMember({ node, state }: Place): boolean {
  const count = state.kind === 'object' ? state.members.filter((member) => member.state.kind !== 'absent').length : 0;
  return node.kind === 'object' && node.more !== undefined && count < (node.maxMembers ?? Infinity);
}

/** The unused names for a new property. */
export function freeNames({ node, state }: Place): string[] {
  const names = node.kind === 'object' ? (node.more?.names ?? []) : [];
  const taken = new Set(state.kind === 'object' ? state.members.map(({ name }: Member) => name) : []);
  return names.filter((name) => !taken.has(name));
}
