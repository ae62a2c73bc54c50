/** What a form starts with, before anything is filled in. */
import type { Field, Form, FormNode, NodeId } from './form.js';
import type { FormState, Item, Member } from './formState.js';
import { stateOf } from './formValue.js';

export interface NewStateOptions {
  /**
   * `required` (the default): values that have to be there are filled in with their default or their only value, the rest
   * stays unset, and the server takes its defaults. `defaults`: every default is filled in, as forms of elicitation are.
   */
  fill?: 'required' | 'defaults';
}

/** A schema may require itself without end. */
const maxDepth = 12;
const maxFields = 2_000;
const maxBlanks = 10;

/**
 * The state of a new form. Required groups are there with their required members; texts, numbers and choices wait to
 * be filled in.
 */
export function newState(form: Form, { fill = 'required' }: NewStateOptions = {}): FormState {
  return new Blank(form, fill).present(form.root, 0);
}

/**
 * What a place becomes when the user adds it, by hand or as an item of a list: never `absent`. `isVariant`: it is
 * what a variant holds.
 */
export function blankState(form: Form, field: Field, isVariant = false): FormState {
  const state = new Blank(form, 'required').present(field, 0, isVariant);
  return state.kind === 'absent' ? emptyState(form, field.node) : state;
}

class Blank {
  private fields = 0;

  constructor(
    private readonly form: Form,
    private readonly fill: 'required' | 'defaults',
  ) {}

  /** For a place that has to be there; `absent` where only the user can tell the value. */
  present(field: Field, depth: number, isVariant = false): FormState {
    if (field.default !== undefined) return stateOf(this.form, field.node, field.default);
    return this.ofNode(field.node, depth, isVariant);
  }

  private ofNode(id: NodeId, depth: number, isVariant: boolean): FormState {
    const node = this.form.nodes[id];
    if (!node || depth > maxDepth || ++this.fields > maxFields) return { kind: 'absent' };
    switch (node.kind) {
      case 'constant':
        return { kind: 'value', value: node.value };
      case 'switch':
        return { kind: 'value', value: false };
      case 'object':
        return {
          kind: 'object',
          members: node.properties.flatMap((property): Member[] =>
            this.member(property, property.name, depth, isVariant),
          ),
        };
      case 'list':
        return { kind: 'list', items: this.items(node, depth) };
      case 'variant':
        return {
          kind: 'variant',
          index: 0,
          state: node.variants[0] ? this.present(node.variants[0], depth + 1, true) : { kind: 'absent' },
        };
      default:
        return { kind: 'absent' };
    }
  }

  private member(field: Field, name: string, depth: number, isVariant: boolean): Member[] {
    // The fixed values of a variant say which one it is, whether they are required or not.
    const isTelling = isVariant && this.form.nodes[field.node]?.kind === 'constant';
    const isFilled = field.isRequired || isTelling || (this.fill === 'defaults' && field.default !== undefined);
    if (!isFilled) return [];
    const state = this.present(field, depth + 1);
    return state.kind === 'absent' ? [] : [{ name, state }];
  }

  private items(node: Extract<FormNode, { kind: 'list' }>, depth: number): Item[] {
    const wanted = Math.max(node.prefix.length, Math.min(node.minItems ?? 0, maxBlanks));
    const items: Item[] = [];
    for (let index = 0; index < wanted; index++) {
      const field = node.prefix[index] ?? node.items;
      if (!field || node.isTickList) break;
      const state = this.present(field, depth + 1);
      items.push({ id: index + 1, state: state.kind === 'absent' ? emptyState(this.form, field.node) : state });
    }
    return items;
  }
}

/** The emptiest value of a kind: an item of a list cannot be left out like a property. */
function emptyState(form: Form, id: NodeId, depth = 0): FormState {
  const node = form.nodes[id];
  switch (node?.kind) {
    case 'text':
      return { kind: 'text', text: '' };
    case 'number':
      return { kind: 'number', text: '' };
    case 'choice':
      return node.options[0] ? { kind: 'value', value: node.options[0].value } : { kind: 'absent' };
    case 'variant':
      return {
        kind: 'variant',
        index: 0,
        state:
          node.variants[0] && depth < maxDepth
            ? emptyState(form, node.variants[0].node, depth + 1)
            : { kind: 'absent' },
      };
    case 'constant':
      return { kind: 'value', value: node.value };
    case 'switch':
      return { kind: 'value', value: false };
    case 'object':
      return { kind: 'object', members: [] };
    case 'list':
      return { kind: 'list', items: [] };
    default:
      return { kind: 'json', text: '' };
  }
}
