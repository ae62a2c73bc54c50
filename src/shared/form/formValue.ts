/**
 * Converts values to states and back. Every JSON value is restored exactly, even if it does not fit the schema: a part
 * without a matching control is kept as JSON.
 */
import type { Field, Form, FormNode, NodeId, ObjectNode, VariantNode } from './form.js';
import type { FormState, Item, Member } from './formState.js';
import type { JsonValue } from '../json.js';
import { isObject } from '../json.js';
import { isIdenticalJson, jsonText, numberText, parseJson, readNumber } from './formJson.js';
import { memberField } from './members.js';

/** Maximum nesting depth. Deeper values are edited as JSON. */
const maxDepth = 60;
/** Maximum number of parts of a value that become fields. The remaining parts are edited as JSON. */
const maxStates = 10_000;
const maxItems = 1_000;
/** Maximum number of steps in the search for the matching variant. */
const maxTries = 200_000;

/** The state for `value`. Undefined means not set. Never throws. */
export function valueToForm(form: Form, value: JsonValue | undefined): FormState {
  return stateOf(form, form.root.node, value);
}

/** Like `valueToForm`, for one node of the form. */
export function stateOf(form: Form, node: NodeId, value: JsonValue | undefined): FormState {
  return new Filler(form).fill(node, value, 0);
}

/**
 * The value of a state. Undefined if nothing is set. The value of an incomplete number or of incomplete JSON is its
 * text.
 */
export function formToValue(_form: Form, state: FormState): JsonValue | undefined {
  return valueOf(state);
}

/** Like `formToValue`. The form is not needed to compute the value. */
export function valueOf(state: FormState): JsonValue | undefined {
  switch (state.kind) {
    case 'absent':
      return undefined;
    case 'text':
      return state.text;
    case 'number':
      return readNumber(state.text) ?? state.text;
    case 'value':
      return state.value;
    case 'json': {
      const parsed = parseJson(state.text);
      return parsed ? parsed.value : state.text;
    }
    case 'variant':
      return valueOf(state.state);
    case 'list':
      return state.items.map((item) => valueOf(item.state)).filter((value) => value !== undefined);
    case 'object': {
      const members = state.members
        .map(({ name, state: member }) => [name, valueOf(member)] as const)
        .filter(([, value]) => value !== undefined);
      // `fromEntries` is used because a property may be named `__proto__`.
      return Object.fromEntries(members) as JsonValue;
    }
  }
}

class Filler {
  private states = 0;
  private tries = 0;

  constructor(private readonly form: Form) {}

  fill(id: NodeId, value: JsonValue | undefined, depth: number): FormState {
    if (value === undefined) return { kind: 'absent' };
    this.states++;
    const node = this.form.nodes[id];
    if (!node || depth > maxDepth) return jsonState(value);
    if (value === null) return { kind: 'value', value };
    switch (node.kind) {
      case 'text':
        return typeof value === 'string' ? { kind: 'text', text: value } : jsonState(value);
      case 'number':
        if (typeof value === 'number') return { kind: 'number', text: numberText(value) };
        // `formToValue` returns the text of an incomplete number, so the text becomes the state of a number field
        // again.
        return typeof value === 'string' && readNumber(value) === undefined
          ? { kind: 'number', text: value }
          : jsonState(value);
      case 'switch':
        return typeof value === 'boolean' ? { kind: 'value', value } : jsonState(value);
      case 'constant':
        return isIdenticalJson(node.value, value) ? { kind: 'value', value } : jsonState(value);
      case 'choice':
        return node.options.some((option) => isIdenticalJson(option.value, value))
          ? { kind: 'value', value }
          : jsonState(value);
      case 'object':
        return isObject(value) ? this.fillObject(node, value, depth) : jsonState(value);
      case 'list':
        return Array.isArray(value) ? this.fillList(id, value, depth) : jsonState(value);
      case 'variant':
        return this.fillVariant(node, value, depth);
      case 'json':
        return jsonState(value);
    }
  }

  private fillObject(node: ObjectNode, value: Record<string, JsonValue>, depth: number): FormState {
    const names = Object.keys(value);
    if (names.length > maxItems || this.states + names.length > maxStates) return jsonState(value);
    let id = 0;
    const members = names.map((name): Member => {
      const { field, isDeclared } = memberField(this.form, node, name);
      const state = this.fill(field.node, value[name], depth + 1);
      return isDeclared ? { name, state } : { name, state, id: ++id };
    });
    return { kind: 'object', members: members.filter(({ state }) => state.kind !== 'absent') };
  }

  private fillList(list: NodeId, value: JsonValue[], depth: number): FormState {
    if (value.length > maxItems || this.states + value.length > maxStates) return jsonState(value);
    const node = this.form.nodes[list];
    const fieldAt = (index: number): Field =>
      (node?.kind === 'list' ? (node.prefix[index] ?? node.items) : undefined) ?? this.form.other;
    return {
      kind: 'list',
      items: value.map((item, index): Item => ({
        id: index + 1,
        state: this.fill(fieldAt(index).node, item, depth + 1),
      })),
    };
  }

  private fillVariant(node: VariantNode, value: JsonValue, depth: number): FormState {
    let best = -1;
    let bestFit = 0;
    node.variants.forEach((variant, index) => {
      const fit = this.fit(variant.node, value, 0);
      if (fit > bestFit) [best, bestFit] = [index, fit];
    });
    const variant = node.variants[best];
    return variant
      ? { kind: 'variant', index: best, state: this.fill(variant.node, value, depth + 1) }
      : jsonState(value);
  }

  /**
   * A score for how well a value matches a node, by its type and its properties; 0 if it does not match. The variant
   * with the highest score is selected.
   */
  private fit(id: NodeId, value: JsonValue, depth: number): number {
    const node = this.form.nodes[id];
    if (!node || ++this.tries > maxTries) return 0;
    if (value === null) return node.isNullable || holdsNull(node) ? 1 : 0;
    switch (node.kind) {
      case 'text':
        return typeof value === 'string' ? 1 : 0;
      case 'number':
        return typeof value === 'number' ? (node.isInteger && !Number.isInteger(value) ? 0.5 : 1) : 0;
      case 'switch':
        return typeof value === 'boolean' ? 1 : 0;
      case 'constant':
        return isIdenticalJson(node.value, value) ? 3 : 0;
      case 'choice':
        return node.options.some((option) => isIdenticalJson(option.value, value)) ? 2 : 0;
      case 'json':
        return 0.05;
      case 'list':
        if (!Array.isArray(value)) return 0;
        return depth < 3 &&
          value
            .slice(0, 3)
            .some(
              (item, index) =>
                this.fit((node.prefix[index] ?? node.items ?? this.form.other).node, item, depth + 1) === 0,
            )
          ? 0.2
          : 1;
      case 'object':
        return isObject(value) ? this.fitObject(node, value, depth) : 0;
      case 'variant':
        return depth < 4
          ? Math.max(0, ...node.variants.map((variant) => this.fit(variant.node, value, depth + 1)))
          : 0.1;
    }
  }

  private fitObject(node: ObjectNode, value: Record<string, JsonValue>, depth: number): number {
    let fit = 10;
    let foreign = 0;
    this.tries += node.properties.length;
    const names = Object.keys(value).slice(0, 100);
    for (const name of names) {
      const { field, isDeclared } = memberField(this.form, node, name);
      const member = this.form.nodes[field.node];
      const inner = value[name];
      if (inner === undefined || !member) continue;
      if (!isDeclared) {
        foreign++;
        if (!node.more) fit -= 2;
      }
      const memberFit = depth < 2 ? this.fit(field.node, inner, depth + 1) : 1;
      if (memberFit === 0) fit -= isDecisive(member) ? 6 : 2;
      else if (isDeclared) fit += memberFit >= 2 ? 2 : 0.5;
    }
    for (const property of node.properties)
      if (property.isRequired && property.default === undefined && !Object.hasOwn(value, property.name)) fit -= 1;
    return Math.max(0.1, fit - foreign * 0.1);
  }
}

function holdsNull(node: FormNode): boolean {
  return (
    (node.kind === 'constant' && node.value === null) ||
    (node.kind === 'choice' && node.options.some(({ value }) => value === null))
  );
}

/** Whether a value that does not match this node shows that another variant is meant. */
function isDecisive(node: FormNode): boolean {
  return node.kind === 'constant' || node.kind === 'choice';
}

/** The value as formatted JSON text. */
function jsonState(value: JsonValue): FormState {
  const text = jsonText(value, 2);
  // The value is nested too deeply for JSON text, so the value itself is kept.
  return text === undefined ? { kind: 'value', value } : { kind: 'json', text };
}
