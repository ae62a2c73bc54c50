/**
 * Builds a form from any JSON Schema: 2020-12, older drafts, and schemas with common errors. Never throws and fetches
 * nothing. The number of parts is limited for any schema (security requirements X2, X3). The builder works
 * breadth-first, so that the limits cut the most deeply nested parts. The time is linear in the size of the schema,
 * because each schema becomes one node, however often it is referenced.
 */
import { t } from '@vscode/l10n';
import { choicesOf, maxOptions, optionOf } from './choices.js';
import type { Field, Form, FormNode, ListNode, MoreMembers, NodeId, ObjectNode, Property } from './form.js';
import { placeholderFor, textHints } from './hints.js';
import type { JsonValue } from '../json.js';
import { isObject } from '../json.js';
import { sizeOf } from './formJson.js';
import { kindWord, labelOf } from './labels.js';
import { boundsOf, largest, makeNumber, makeText, smallest } from './leafNodes.js';
import type { PropertyShape } from './objectShape.js';
import { objectShape } from './objectShape.js';
import { impossible, NodeTable } from './nodeTable.js';
import type { Group, Parts } from './schemaParts.js';
import { collectParts, isNullable, kindsOf, pick, pickAll } from './schemaParts.js';
import { SchemaRefs } from './schemaRefs.js';
import { isBareGroup, variantsOf } from './variants.js';

export interface FormOptions {
  /** Makes untrusted text safe to show and cuts it to a maximum length. */
  visible: (text: string, maxLength: number) => string;
}

/** Maximum number of nodes in a form. The largest of 725 public tool schemas needs 80. */
const maxNodes = 2_000;
/** Maximum number of fields, parts, options, and default values that are examined. */
const maxSteps = 20_000;
/** Maximum total length of all descriptions, in characters. After that, each description is cut to 40 characters. */
const maxText = 1_000_000;
const maxTuple = 100;
const maxNotices = 10;
/** Maximum number of options that are drawn as checkboxes. A longer list is drawn with one field per item. */
const maxTicks = 30;

/** The form of a schema. Never throws. */
export function buildForm(schema: unknown, options: FormOptions): Form {
  return new FormBuilder(schema, options).build();
}

class FormBuilder {
  private readonly table = new NodeTable();
  private readonly notices = new Set<string>();
  private readonly refs: SchemaRefs;
  private readonly waiting: { id: NodeId; parts: Parts; name: string }[] = [];
  private steps = 0;
  private textLeft = maxText;

  constructor(
    private readonly schema: unknown,
    private readonly options: FormOptions,
  ) {
    this.refs = new SchemaRefs(schema);
  }

  build(): Form {
    const root = this.field([this.schema], '', '', true);
    const other = this.anyField('');
    // The list grows while the loop runs.
    for (const { id, parts, name } of this.waiting) this.table.set(id, this.makeNode(parts, name, id === root.node));
    const { nodes } = this.table;
    for (const node of nodes) if (node.kind === 'list') this.markTicks(node);
    return { root, other, nodes, notices: [...this.notices] };
  }

  /**
   * Creates a field for the combination of all `schemas`. `name` is the property name, from which the presentation is
   * guessed.
   */
  private field(schemas: readonly unknown[], label: string, name: string, isRequired: boolean): Field {
    return this.fieldOf(collectParts(schemas, this.refs), label, name, isRequired);
  }

  private fieldOf(parts: Parts, label: string, name: string, isRequired: boolean): Field {
    this.steps += 1 + parts.all.length;
    const { visible } = this.options;
    if (parts.unresolved !== undefined && this.notices.size < maxNotices) {
      this.notices.add(t('The reference "{0}" in the schema has no target.', visible(parts.unresolved, 200)));
    }
    const title = pickText(parts, 'title');
    const field: Field = {
      node: this.node(parts, name),
      label: title === undefined ? visible(label, 120) : visible(title, 120),
      isRequired,
    };
    const description = pickText(parts, 'description');
    if (description !== undefined) field.description = this.describe(description);
    const fallback = pick(parts, 'default');
    if (fallback !== undefined && this.isAffordable(fallback)) field.default = fallback as JsonValue;
    const samples = pick(parts, 'examples') ?? pick(parts, 'example');
    const examples = (
      Array.isArray(samples) ? (samples as unknown[]).slice(0, 5) : samples === undefined ? [] : [samples]
    ).filter((value) => this.isAffordable(value));
    if (examples.length > 0) field.examples = examples as JsonValue[];
    if (pick(parts, 'readOnly') === true) field.isReadOnly = true;
    if (pick(parts, 'deprecated') === true) field.isDeprecated = true;
    const kinds = kindsOf(parts);
    if (kinds?.has('string'))
      Object.assign(
        field,
        textHints(
          name,
          parts.all.map(({ schema }) => schema),
        ),
      );
    const bounds = kinds?.has('number') || kinds?.has('integer') ? boundsOf(parts) : {};
    const placeholder = placeholderFor(field, kinds?.has('string') ? pick(parts, 'format') : undefined, bounds);
    if (placeholder !== undefined) field.placeholder = visible(placeholder, 120);
    return field;
  }

  private describe(text: string): string {
    const shown = this.options.visible(text, this.textLeft > 0 ? 4_000 : 40);
    this.textLeft -= shown.length;
    return shown;
  }

  private isAffordable(value: unknown): boolean {
    if (this.isSpent) return false;
    const size = sizeOf(value);
    this.steps += size ?? maxSteps / 100;
    return size !== undefined;
  }

  private get isSpent(): boolean {
    return this.steps > maxSteps || !this.refs.look(0);
  }

  private node(parts: Parts, name: string): NodeId {
    const key = this.table.keyOf(parts);
    const known = this.table.find(key);
    if (known !== undefined) return known;
    if (key === '') return this.table.any();
    if (this.table.size >= maxNodes || this.isSpent) return this.tooLarge();
    const id = this.table.add({ kind: 'json', reason: 'too-large' }, key);
    this.waiting.push({ id, parts, name });
    return id;
  }

  private tooLarge(): NodeId {
    this.notices.add(t('The schema is too large for a form. Some fields can only be edited as JSON.'));
    return this.table.find('too large') ?? this.table.add({ kind: 'json', reason: 'too-large' }, 'too large');
  }

  private makeNode(parts: Parts, name: string, isRoot: boolean): FormNode {
    if (parts.isCut || this.isSpent) return this.table.at(this.tooLarge());
    if (parts.isNever) return impossible();
    const choices = this.makeChoice(parts);
    if (choices) return choices;
    const group = parts.groups.find((candidate) => !isBareGroup(candidate, parts, this.refs));
    if (group) return this.makeVariants(parts, group, name, isRoot);
    const kinds = kindsOf(parts);
    const nullable = isNullable(parts) ? { isNullable: true } : {};
    if (kinds === undefined) return { ...this.table.at(this.table.any()), ...nullable };
    if (kinds.size > 1) {
      const variants = [...kinds].map((kind) => {
        const narrowed: Parts = { ...parts, narrowedTo: kind };
        return this.variant(narrowed, kindWord(kind), name);
      });
      return { kind: 'variant', variants, ...nullable };
    }
    const [kind] = kinds;
    if (kind === undefined) return isNullable(parts) ? { kind: 'constant', value: null, label: 'null' } : impossible();
    return { ...this.makeOfKind(kind, parts, name, isRoot), ...nullable };
  }

  private makeOfKind(kind: string, parts: Parts, name: string, isRoot: boolean): FormNode {
    switch (kind) {
      case 'string':
        return makeText(parts);
      case 'number':
      case 'integer':
        return makeNumber(parts, kind === 'integer');
      case 'boolean':
        return { kind: 'switch' };
      case 'array':
        return this.makeList(parts, name);
      default:
        return this.makeObject(parts, isRoot);
    }
  }

  private makeChoice(parts: Parts): FormNode | undefined {
    let choices = choicesOf(parts, this.refs);
    if (choices === undefined) return undefined;
    this.steps += Math.min(choices.length, maxOptions);
    if (choices.length > maxOptions) {
      const texts = choices.map(({ value }) => value).filter((value) => typeof value === 'string');
      if (texts.length < choices.length) return this.table.at(this.table.any());
      return { kind: 'text', suggestions: texts.slice(0, maxOptions) };
    }
    if (isNullable(parts, parts.groups[0]) && !choices.some(({ value }) => value === null))
      choices = [...choices, { value: null }];
    const options = choices.map((choice) => optionOf(choice, this.options.visible));
    const [only, ...others] = options;
    if (only === undefined) return impossible();
    return others.length === 0
      ? { kind: 'constant', value: only.value, label: only.label }
      : { kind: 'choice', options };
  }

  private makeVariants(parts: Parts, group: Group, name: string, isRoot: boolean): FormNode {
    const variants = variantsOf(parts, group, this.refs);
    for (const { parts: taken } of variants) this.steps += taken.all.length;
    const nullable =
      isNullable(parts, group) || variants.some((variant) => isNullable(variant.parts)) ? { isNullable: true } : {};
    const lists = variants.map((variant) => choicesOf(variant.parts, this.refs));
    const kinds = variants.map((variant, index) =>
      variant.parts.groups.length === 0 ? kindOfVariant(variant.parts, lists[index]) : undefined,
    );
    // All variants are strings, so one text field is drawn. Validation decides which of the schemas the text matches.
    if (kinds.length > 1 && kinds.every((kind) => kind === 'string')) {
      const suggestions = lists
        .flatMap((list) => list ?? [])
        .map(({ value }) => value)
        .filter((value) => typeof value === 'string');
      return {
        ...makeText(parts),
        ...(suggestions.length > 0 ? { suggestions: [...new Set(suggestions)].slice(0, maxOptions) } : {}),
        ...nullable,
      };
    }
    if (
      kinds.length > 1 &&
      kinds.every((kind) => kind === 'number' || kind === 'integer') &&
      lists.every((list) => list === undefined)
    ) {
      return {
        ...makeNumber(
          parts,
          kinds.every((kind) => kind === 'integer'),
        ),
        ...nullable,
      };
    }
    const [only] = variants;
    if (only === undefined)
      return nullable.isNullable ? { kind: 'constant', value: null, label: 'null' } : impossible();
    if (variants.length === 1) return { ...this.makeNode(only.parts, name, isRoot), ...nullable };
    return {
      kind: 'variant',
      variants: variants.map((variant) => this.variant(variant.parts, variant.label, name)),
      ...nullable,
    };
  }

  private variant(parts: Parts, label: string, name: string): Field {
    const field = this.fieldOf(parts, label, name, true);
    // The title is replaced, because it may be the title of the whole schema and the same for all variants.
    field.label = this.options.visible(label, 120);
    return field;
  }

  private makeObject(parts: Parts, isRoot: boolean): ObjectNode {
    const shape = objectShape(parts, this.refs);
    const node: ObjectNode = {
      kind: 'object',
      properties: [...shape.properties].map(([name, property]) => this.property(name, property)),
    };
    if (shape.more) {
      const more: MoreMembers = {
        field: this.field(shape.more, '', '', false),
        patterns: shape.patterns.map(([pattern, schema]) => ({
          pattern: pattern.slice(0, 500),
          field: this.field([schema], '', '', false),
        })),
        // Most tools without arguments have the schema `{ "type": "object" }`, which allows any property. No Add button
        // is drawn for such a schema.
        isDeclared: shape.isMoreDeclared && !(isRoot && !saysMore(parts)),
      };
      if (shape.names) more.names = shape.names.slice(0, maxOptions);
      if (shape.namePattern !== undefined) more.namePattern = shape.namePattern;
      node.more = more;
    }
    const minMembers = largest(pickAll(parts, 'minProperties'));
    const maxMembers = smallest(pickAll(parts, 'maxProperties'));
    return {
      ...node,
      ...(minMembers === undefined ? {} : { minMembers }),
      ...(maxMembers === undefined ? {} : { maxMembers }),
    };
  }

  private property(name: string, shape: PropertyShape): Property {
    const field = this.field(shape.schemas, labelOf(name), name, shape.isRequired);
    const { visible } = this.options;
    return {
      ...field,
      name,
      ...(shape.requiredWith.length > 0 ? { requiredWith: shape.requiredWith } : {}),
      ...(shape.conditions.length > 0 ? { condition: visible(shape.conditions.join('; '), 400) } : {}),
    };
  }

  private makeList(parts: Parts, name: string): ListNode {
    const tuples = pickAll(parts, 'prefixItems')
      .concat(pickAll(parts, 'items'))
      .filter((list) => Array.isArray(list)) as unknown[][];
    const length = Math.min(maxTuple, Math.max(0, ...tuples.map((tuple) => tuple.length)));
    const prefix = Array.from({ length }, (_, index) => {
      const schemas = tuples.filter((tuple) => index < tuple.length).map((tuple) => tuple[index]);
      return this.field(schemas, t('Item {0}', index + 1), name, true);
    });
    const rules = [
      ...pickAll(parts, 'items').filter((items) => !Array.isArray(items)),
      ...(tuples.length > 0 ? pickAll(parts, 'additionalItems') : []),
      ...pickAll(parts, 'unevaluatedItems'),
    ];
    const node: ListNode = { kind: 'list', prefix };
    if (!rules.includes(false))
      node.items = this.field(
        rules.filter((rule) => isObject(rule)),
        '',
        name,
        true,
      );
    const minItems = largest(pickAll(parts, 'minItems'));
    const maxItems = smallest(pickAll(parts, 'maxItems'));
    if (minItems !== undefined) node.minItems = minItems;
    if (maxItems !== undefined) node.maxItems = maxItems;
    if (pickAll(parts, 'uniqueItems').includes(true)) node.isUnique = true;
    return node;
  }

  private markTicks(node: ListNode): void {
    const item = node.items && node.prefix.length === 0 ? this.table.at(node.items.node) : undefined;
    if (item?.kind === 'choice' && item.options.length <= maxTicks) node.isTickList = true;
  }

  private anyField(label: string): Field {
    return { node: this.table.any(), label, isRequired: false };
  }
}

/** The type of a variant; undefined if the variant allows several types. */
function kindOfVariant(parts: Parts, choices: readonly { value: JsonValue }[] | undefined): string | undefined {
  if (choices && choices.length > 0)
    return choices.every(({ value }) => typeof value === 'string') ? 'string' : undefined;
  const kinds = kindsOf(parts);
  return kinds?.size === 1 ? [...kinds][0] : undefined;
}

function saysMore(parts: Parts): boolean {
  return ['additionalProperties', 'unevaluatedProperties', 'patternProperties', 'propertyNames', 'minProperties'].some(
    (keyword) => pick(parts, keyword) !== undefined,
  );
}

function pickText(parts: Parts, keyword: string): string | undefined {
  const texts = pickAll(parts, keyword).filter((text) => typeof text === 'string' && text.trim() !== '') as string[];
  return texts[0];
}
