/** The initial state of a form. */
import type { Field, Form, FormNode, NodeId } from './form.js';
import type { FormState, Item, Member } from './formState.js';
import { stateOf } from './formValue.js';

export interface NewStateOptions {
  /**
   * Which fields are set.
   * - `required` (default): required fields get their default or their only value. Without these, groups and lists are
   *   created, and switches are off. All other fields stay unset, so that the server uses its own defaults.
   * - `defaults`: in addition, every field with a default gets this default, as elicitation forms require.
   */
  fill?: 'required' | 'defaults';
}

/** Maximum depth of required values. The depth is limited because a recursive schema can require itself. */
const maxDepth = 12;
const maxFields = 2_000;
const maxBlanks = 10;

/**
 * The state of a new form. Required groups are created with their required properties. Required texts, numbers, and
 * choices without a default stay unset.
 */
export function newState(form: Form, { fill = 'required' }: NewStateOptions = {}): FormState {
  return new Blank(form, fill).present(form.root, 0);
}

/**
 * The state of a place that the user adds, as a property or as an item of a list. Never `absent`. `isVariant`: whether
 * the place is the content of a variant.
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

  /** The state of a required field: its default or an empty value. `absent` if only the user can provide a value. */
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
    // Constants in a variant identify the variant, so they are set even if they are optional.
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

/** The smallest state of a node that is not left out. It is needed because an item of a list cannot be left out. */
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
