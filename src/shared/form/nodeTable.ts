import type { Field, FormNode, JsonReason, NodeId } from './form.js';
import { kindWord } from './labels.js';
import type { Parts, Schema } from './schemaParts.js';
import { isDescription } from './schemaParts.js';

/** The nodes of a form. Fields that refer to the same schemas share a node. */
export class NodeTable {
  readonly nodes: FormNode[] = [];
  /** Node IDs by the key of the schemas that the node represents. */
  private readonly known = new Map<string, NodeId>();
  private readonly ids = new Map<object, number>();
  private readonly described = new Map<object, boolean>();

  /** Number of nodes. */
  get size(): number {
    return this.nodes.length;
  }

  /** The ID of the node with this key; undefined if there is none. */
  find(key: string): NodeId | undefined {
    return this.known.get(key);
  }

  /** Adds a node under a key, and returns its ID. */
  add(node: FormNode, key: string): NodeId {
    this.known.set(key, this.nodes.length);
    return this.nodes.push(node) - 1;
  }

  /** Replaces a node. */
  set(id: NodeId, node: FormNode): void {
    this.nodes[id] = node;
  }

  /** The node with this ID. */
  at(id: NodeId): FormNode {
    return this.nodes[id] ?? impossible();
  }

  /**
   * The key of a node: its schemas without those that contain only descriptions, its remaining choices, and the
   * selected type.
   */
  keyOf(parts: Parts): string {
    const all = parts.all
      .filter(({ schema }) => !this.isDescription(schema))
      .map(({ schema, isOrNull }) => `${this.idOf(schema)}${isOrNull ? '?' : ''}`);
    const groups = parts.groups.map((group) => `${this.idOf(group.owner.schema)}${group.keyword}`);
    if (parts.isNever) return 'never';
    if (all.length + groups.length === 0) return '';
    return [all.join(), groups.join(), parts.narrowedTo ?? ''].join(';');
  }

  private isDescription(schema: Schema): boolean {
    let is = this.described.get(schema);
    if (is === undefined) this.described.set(schema, (is = isDescription(schema)));
    return is;
  }

  private idOf(schema: object): number {
    let id = this.ids.get(schema);
    if (id === undefined) this.ids.set(schema, (id = this.ids.size));
    return id;
  }

  /** The node for a value of any type. All fields of such values share one set of nodes. */
  any(): NodeId {
    const known = this.known.get('');
    if (known !== undefined) return known;
    const id = this.add({ kind: 'json', reason: 'too-large' }, '');
    const field = (kind: string, node: FormNode): Field => ({
      node: this.add(node, `any ${kind}`),
      label: kindWord(kind),
      isRequired: true,
    });
    const other: Field = { node: id, label: '', isRequired: false };
    this.nodes[id] = {
      kind: 'variant',
      isAny: true,
      isNullable: true,
      variants: [
        field('string', { kind: 'text' }),
        field('number', { kind: 'number', isInteger: false }),
        field('boolean', { kind: 'switch' }),
        field('array', { kind: 'list', prefix: [], items: { ...other, isRequired: true } }),
        field('object', { kind: 'object', properties: [], more: { field: other, patterns: [], isDeclared: true } }),
      ],
    };
    return id;
  }
}

/** The node of a schema that no value matches. */
export function impossible(): FormNode {
  return { kind: 'json', reason: 'impossible' satisfies JsonReason };
}
