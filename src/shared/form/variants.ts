/** Finds the choices of a schema: the branches of `anyOf` and `oneOf` and their labels. */
import { t } from '@vscode/l10n';
import { choicesOf, fixedMembers } from './choices.js';
import type { JsonValue } from '../json.js';
import { jsonText } from './formJson.js';
import { kindWord, labelOf } from './labels.js';
import type { Group, Parts } from './schemaParts.js';
import { collectParts, commonTypes, isDescription, kindsOf, takeBranch } from './schemaParts.js';
import type { SchemaRefs } from './schemaRefs.js';

export interface Variant {
  label: string;
  /** The parts that apply if the user selects this variant. */
  parts: Parts;
}

/** Maximum number of variants. A value that needs another branch is edited as JSON. */
const maxVariants = 100;

/** The variants of a choice. Nested choices are flattened. */
export function variantsOf(parts: Parts, group: Group, refs: SchemaRefs): Variant[] {
  const branches = spread(group, refs);
  const taken = branches
    .map((branch) => ({ branch, parts: takeBranch(parts, group, branch, refs) }))
    .filter((variant) => !variant.parts.isCircular && !variant.parts.isNever);
  const labels = branchLabels(
    taken.map(({ branch }) => branch),
    refs,
  );
  return taken.map((variant, index) => ({ label: labels[index] ?? '', parts: variant.parts }));
}

/**
 * Whether the branches of a choice would all have the same fields, because they differ only in required properties or
 * in limits of a value, such as its format. If so, the form does not show the choice.
 */
export function isBareGroup(group: Group, parts: Parts, refs: SchemaRefs): boolean {
  const types = commonTypes(parts);
  return group.branches.slice(0, maxVariants).every((branch) => {
    const own = collectParts([branch], refs);
    if (own.groups.length > 0) return false;
    const kinds = commonTypes(own);
    if (kinds !== undefined && (types === undefined || [...types].some((type) => !kinds.has(type)))) return false;
    return own.all.every(({ schema }) => structural.every((keyword) => schema[keyword] === undefined));
  });
}

const structural = ['properties', 'patternProperties', 'items', 'prefixItems', 'const', 'enum'];

/**
 * The branches of a choice. A branch that contains nothing but another choice is replaced by the branches of that
 * choice.
 */
function spread(group: Group, refs: SchemaRefs): unknown[] {
  const result: unknown[] = [];
  const seen = new Set<unknown>([group.owner.schema]);
  const waiting = [...group.branches].reverse();
  while (waiting.length > 0 && result.length < maxVariants) {
    const branch = waiting.pop();
    if (seen.has(branch)) continue;
    seen.add(branch);
    const own = collectParts([branch], refs);
    const [inner, ...others] = own.groups;
    const isChoiceOnly =
      inner &&
      others.length === 0 &&
      own.all.every(({ schema }) => isDescription(schema, schema === inner.owner.schema ? inner.keyword : undefined));
    if (!isChoiceOnly) result.push(branch);
    else if (!seen.has(inner.owner.schema) || inner.owner.schema === branch) {
      seen.add(inner.owner.schema);
      waiting.push(...[...inner.branches].reverse());
    }
  }
  return result;
}

/**
 * The label of each branch: its title, the fixed value that distinguishes it, the name of its definition, or its type.
 */
function branchLabels(branches: readonly unknown[], refs: SchemaRefs): string[] {
  const parts = branches.map((branch) => collectParts([branch], refs));
  const discriminator = discriminatorOf(parts, refs);
  const labels = branches.map((branch, index) => {
    const own = parts[index];
    if (!own) return '';
    const title = own.all
      .map(({ schema }) => schema['title'])
      .find((text) => typeof text === 'string' && text.trim() !== '');
    if (typeof title === 'string') return title;
    const fixed = discriminator[index];
    if (fixed !== undefined) return fixed;
    return definitionName(branch) ?? kindLabel(own, refs);
  });
  const counts = new Map<string, number>();
  for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1);
  const used = new Map<string, number>();
  return labels.map((label) => {
    if (counts.get(label) === 1) return label;
    used.set(label, (used.get(label) ?? 0) + 1);
    return `${label} ${used.get(label)}`;
  });
}

/**
 * Finds the property that has a different fixed value in as many branches as possible, at least two. Returns this value
 * for each branch; undefined for a branch without it.
 */
function discriminatorOf(parts: readonly Parts[], refs: SchemaRefs): (string | undefined)[] {
  const fixed = parts.map((own) => fixedMembers(own, refs));
  const names = new Set(fixed.flatMap((members) => [...members.keys()]));
  let best: (string | undefined)[] = [];
  let bestCount = 1;
  for (const name of names) {
    const values = fixed.map((members) => members.get(name));
    const present = values.filter((value) => value !== undefined);
    if (present.length <= bestCount || new Set(present.map((value) => jsonText(value))).size < present.length) continue;
    best = values.map((value) => (value === undefined ? undefined : shortLabel(value)));
    bestCount = present.length;
  }
  return best;
}

function shortLabel(value: JsonValue): string {
  return typeof value === 'string' ? value : (jsonText(value) ?? '…').slice(0, 80);
}

function definitionName(branch: unknown): string | undefined {
  const reference = typeof branch === 'object' && branch !== null && '$ref' in branch ? branch.$ref : undefined;
  const name =
    typeof reference === 'string'
      ? /^#\/(?:\$defs|definitions|components\/schemas)\/([^/%~]+)$/.exec(reference)?.[1]
      : undefined;
  // Generated names such as `__schema0` are ignored.
  return name === undefined || /^_*schema_*\d*$/i.test(name) ? undefined : labelOf(name);
}

function kindLabel(parts: Parts, refs: SchemaRefs): string {
  const choices = choicesOf(parts, refs);
  if (choices && choices.length > 0)
    return (
      choices
        .slice(0, 3)
        .map(({ value }) => shortLabel(value))
        .join(', ') + (choices.length > 3 ? ', …' : '')
    );
  const kinds = parts.groups.length > 0 ? undefined : kindsOf(parts);
  const [kind] = kinds?.size === 1 ? kinds : [];
  if (kind === 'array') {
    const items = parts.all.map(({ schema }) => schema['items']).find((schema) => schema !== undefined);
    const itemKinds = kindsOf(collectParts([items], refs));
    const [itemKind] = itemKinds?.size === 1 ? itemKinds : [];
    return itemKind === 'string'
      ? t('List of strings')
      : itemKind === 'number' || itemKind === 'integer'
        ? t('List of numbers')
        : itemKind === 'object'
          ? t('List of objects')
          : kindWord('array');
  }
  if (kind === 'object') {
    const named = parts.all
      .map(({ schema }) => schema['properties'])
      .find(
        (properties) => typeof properties === 'object' && properties !== null && Object.keys(properties).length > 0,
      );
    const [first] = named ? Object.keys(named) : [];
    if (first !== undefined) return t('Object with "{0}"', first);
  }
  return kindWord(kind ?? '');
}
