/**
 * Schemas that list their values: `const`, `enum`, and choices between such schemas (`oneOf` with titled constants).
 */
import type { Option } from './form.js';
import type { JsonValue } from '../json.js';
import { isObject } from '../json.js';
import { jsonText, sizeOf } from './formJson.js';
import type { Group, SchemaPart, Parts, Schema } from './schemaParts.js';
import { collectParts } from './schemaParts.js';
import type { SchemaRefs } from './schemaRefs.js';

/** A value with its title and description in the schema. */
interface Choice {
  value: JsonValue;
  title?: string;
  description?: string;
}

/** Maximum number of values of a schema that is shown as a list of choices. */
export const maxOptions = 1_000;
/** Maximum number of branches of a choice, and of their values. A larger choice is not shown as a list of values. */
const maxBranches = 2_000;

/** The allowed values, without those that are too large. Undefined if the schema does not list its values. */
export function choicesOf(parts: Parts, refs: SchemaRefs): Choice[] | undefined {
  const lists: Choice[][] = [];
  for (const part of parts.all) {
    const own = ownChoices(part);
    if (own !== undefined) lists.push(own);
  }
  for (const group of parts.groups) {
    const choices = choicesOfGroup(group, refs);
    if (choices !== undefined) lists.push(choices);
  }
  const [first, ...others] = lists;
  if (first === undefined) return undefined;
  let choices = first;
  for (const other of others) {
    refs.look(choices.length + other.length);
    const allowed = new Map(other.map((choice) => [jsonText(choice.value), choice]));
    choices = choices
      .filter(({ value }) => allowed.has(jsonText(value)))
      .map((choice) => ({ ...allowed.get(jsonText(choice.value)), ...choice }));
  }
  return choices;
}

const known = new WeakMap<object, Choice[]>();

/** The values that one schema lists. Cached, because many places can refer to a long list. */
function ownChoices({ schema }: SchemaPart): Choice[] | undefined {
  let choices = known.get(schema);
  if (!choices) {
    choices = readChoices(schema);
    if (choices) known.set(schema, (choices = distinct(choices)));
  }
  return choices;
}

function readChoices(schema: Schema): Choice[] | undefined {
  if (Object.hasOwn(schema, 'const')) return sized([{ value: schema['const'] as JsonValue }]);
  if (!Array.isArray(schema['enum'])) return undefined;
  const titles = firstList(schema, ['enumNames', 'x-enumNames', 'x-enum-varnames', 'enumTitles']);
  const descriptions = firstList(schema, ['enumDescriptions', 'x-enum-descriptions', 'markdownEnumDescriptions']);
  return sized(
    (schema['enum'] as JsonValue[]).map((value, index) => ({
      value,
      ...textMember('title', titles?.[index]),
      ...textMember('description', descriptions?.[index]),
    })),
  );
}

function choicesOfGroup(group: Group, refs: SchemaRefs): Choice[] | undefined {
  if (group.branches.length === 0 || group.branches.length > maxBranches) return undefined;
  const all: Choice[] = [];
  for (const branch of group.branches) {
    const parts = collectParts([branch], refs);
    if (parts.groups.length > 0) return undefined;
    const lists = parts.all.map(ownChoices).filter((list) => list !== undefined);
    const [own] = lists;
    if (own === undefined || !refs.look(own.length) || all.length + own.length > maxBranches) return undefined;
    const described = parts.all.map(({ schema }) => schema);
    const title = described.map(({ title }) => title).find((text) => typeof text === 'string');
    const description = described.map(({ description }) => description).find((text) => typeof text === 'string');
    if (own.length === 1 && own[0])
      all.push({ ...textMember('title', title), ...textMember('description', description), ...own[0] });
    else all.push(...own);
  }
  return distinct(all);
}

function sized(choices: Choice[]): Choice[] {
  return choices.filter(({ value }) => sizeOf(value) !== undefined);
}

function distinct(choices: readonly Choice[]): Choice[] {
  const seen = new Set<string | undefined>();
  return choices.filter(({ value }) => {
    const text = jsonText(value);
    if (seen.has(text)) return false;
    seen.add(text);
    return true;
  });
}

function firstList(schema: Record<string, unknown>, keywords: readonly string[]): unknown[] | undefined {
  return keywords.map((keyword) => schema[keyword]).find(Array.isArray);
}

function textMember<K extends 'title' | 'description'>(key: K, text: unknown): Partial<Record<K, string>> {
  return (typeof text === 'string' && text.trim() !== '' ? { [key]: text } : {}) as Partial<Record<K, string>>;
}

/** An option for display, with the title of the value or the value itself as its label. */
export function optionOf(
  { value, title, description }: Choice,
  visible: (text: string, maxLength: number) => string,
): Option {
  const text = visible(typeof value === 'string' ? value : (jsonText(value) ?? '…'), 200) || '""';
  const label = title === undefined ? text : visible(title, 200);
  const more = description !== undefined ? visible(description, 500) : label === text ? undefined : text;
  return { value, label, ...(more === undefined ? {} : { description: more }) };
}

/** The properties with a fixed value, by name. They distinguish the branches of a choice. */
export function fixedMembers(parts: Parts, refs: SchemaRefs): Map<string, JsonValue> {
  const fixed = new Map<string, JsonValue>();
  for (const { schema } of parts.all) {
    if (!isObject(schema['properties'])) continue;
    for (const [name, property] of Object.entries(schema['properties']).slice(0, 200)) {
      if (!isObject(property)) continue;
      const choices = collectParts([property], refs)
        .all.map(ownChoices)
        .find((list) => list !== undefined);
      if (choices?.length === 1 && choices[0]) fixed.set(name, choices[0].value);
    }
  }
  return fixed;
}
