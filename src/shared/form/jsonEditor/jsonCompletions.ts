/**
 * Suggests completions at a position in JSON text, according to the form of its schema: property names, required ones
 * first, and values.
 */
import { t } from '@vscode/l10n';
import type { JsonValue } from '../../json.js';
import { nameOfStep } from '../../json.js';
import type { Field, Form, FormNode } from '../form.js';
import { isIdenticalJson, jsonText } from '../formJson.js';
import { memberField } from '../members.js';
import { fieldOfItem, nodeOf } from '../places.js';
import type { JsonCursor } from './jsonCursor.js';
import { jsonCursor, plainMembers } from './jsonCursor.js';

export interface JsonCompletion {
  label: string;
  /** A short remark about the completion: `required`, `default`, `example`, or the label of a value. */
  detail?: string;
  about?: string;
  /** The text that replaces the range between the offsets `from` and `to`. */
  text: string;
  from: number;
  to: number;
  /** Offset of the cursor after the completion was inserted. */
  caret: number;
  /** Whether the next list of completions opens immediately after this completion was inserted. */
  goesOn: boolean;
}

/** A completion without its position in the text. `caret` is the offset of the cursor in `text`; default: the end. */
interface Candidate {
  label: string;
  detail?: string | undefined;
  about?: string | undefined;
  text: string;
  caret?: number;
  goesOn?: boolean;
}

/** Maximum number of fields that are considered for one position. */
const maxFields = 50;
/** Maximum number of completions that are returned. */
const maxCompletions = 200;

/** The completions at an offset in the text. `root` is the field for the whole JSON text. */
export function jsonCompletions(form: Form, root: Field, source: string, offset: number): JsonCompletion[] {
  const cursor = jsonCursor(source, offset);
  if (!cursor) return [];
  const fields = fieldsAt(form, root, source, cursor.pointer);
  const candidates =
    cursor.expects === 'name' ? nameCandidates(form, fields, cursor) : fields.flatMap((field) => values(form, field));
  return matching(distinct(candidates), cursor.typed)
    .slice(0, maxCompletions)
    .map((candidate) => placed(candidate, cursor, source));
}

/** The fields that describe the value at a JSON Pointer. There are several if the value is one of several variants. */
function fieldsAt(form: Form, root: Field, source: string, pointer: string): Field[] {
  const steps = pointer.split('/').slice(1);
  let fields = variantsOf(form, root, source, '');
  steps.forEach((step, at) => {
    const name = nameOfStep(step);
    const inner = `/${steps.slice(0, at + 1).join('/')}`;
    fields = fields
      .flatMap((field): Field[] => {
        const node = nodeOf(form, field);
        if (node.kind === 'object') return [memberField(form, node, name).field];
        return node.kind === 'list' ? [fieldOfItem(form, node, Number(name))] : [];
      })
      .flatMap((field) => variantsOf(form, field, source, inner))
      .slice(0, maxFields);
  });
  return fields;
}

/**
 * The variants of a field that match the fixed values already written in the object; all variants if none matches. Any
 * other field is returned unchanged.
 */
function variantsOf(form: Form, field: Field, source: string, pointer: string, depth = 0): Field[] {
  const node = nodeOf(form, field);
  if (node.kind !== 'variant' || depth > 4) return [field];
  const members = plainMembers(source, pointer);
  const fit = node.variants.filter((variant) => fitsMembers(form, nodeOf(form, variant), members));
  return (fit.length > 0 ? fit : node.variants)
    .slice(0, maxFields)
    .flatMap((variant) => variantsOf(form, variant, source, pointer, depth + 1));
}

function fitsMembers(form: Form, node: FormNode, members: ReadonlyMap<string, JsonValue>): boolean {
  if (node.kind !== 'object') return members.size === 0;
  return node.properties.every((property) => {
    const fixed = nodeOf(form, property);
    const value = members.get(property.name);
    return fixed.kind !== 'constant' || value === undefined || isIdenticalJson(fixed.value, value);
  });
}

function nameCandidates(form: Form, fields: readonly Field[], { names, hasColon }: JsonCursor): Candidate[] {
  const found = fields.flatMap((field) => {
    const node = nodeOf(form, field);
    if (node.kind !== 'object') return [];
    const more = (node.more?.names ?? []).map((name) => ({ ...(node.more?.field ?? form.other), name }));
    return [...node.properties, ...more];
  });
  const free = found.filter(({ name }) => !names.has(name));
  const ordered = [...free.filter(({ isRequired }) => isRequired), ...free.filter(({ isRequired }) => !isRequired)];
  const byName = new Map<string, Candidate>();
  for (const property of ordered) {
    const start = `${JSON.stringify(property.name)}${hasColon ? '' : ': '}`;
    const known = byName.get(property.name);
    // Several variants can define the same property with different values, so no value is inserted with its name.
    const isOpen = hasColon || known !== undefined;
    const value = isOpen ? { text: '', caret: 0 } : blankOf(nodeOf(form, property));
    byName.set(property.name, {
      ...known,
      label: property.name,
      detail: property.isRequired ? t('required') : undefined,
      about: property.description ?? (property.label === property.name ? undefined : property.label),
      text: start + value.text,
      caret: start.length + value.caret,
      goesOn: !hasColon && value.text === '' && nodeOf(form, property).kind !== 'number',
    });
  }
  return [...byName.values()];
}

/** The text that is inserted for a value that the user then fills in, and the offset of the cursor in it. */
function blankOf(node: FormNode): { text: string; caret: number } {
  switch (node.kind) {
    case 'text':
      return { text: '""', caret: 1 };
    case 'object':
      return { text: '{}', caret: 1 };
    case 'list':
      return { text: '[]', caret: 1 };
    case 'constant': {
      const text = jsonText(node.value) ?? '';
      return { text, caret: text.length };
    }
    default:
      return { text: '', caret: 0 };
  }
}

/** The values that the schema lists or mentions. If there are none, an empty value of the field's type. */
function values(form: Form, field: Field): Candidate[] {
  const node = nodeOf(form, field);
  const found: Candidate[] = [];
  const add = (value: JsonValue, detail?: string, about?: string) => {
    const text = jsonText(value);
    if (text !== undefined && text.length <= 2_000) found.push({ label: shortened(text), detail, about, text });
  };
  if (node.kind === 'choice') for (const option of node.options) add(option.value, labelOf(option), option.description);
  if (node.kind === 'constant') add(node.value);
  if (node.kind === 'switch') [true, false].forEach((value) => add(value));
  if (field.default !== undefined) add(field.default, t('default'));
  for (const example of field.examples ?? []) add(example, t('example'));
  if (node.kind === 'text') for (const text of node.suggestions ?? []) add(text);
  if (node.isNullable === true) add(null);
  const blank = blankOf(node);
  if (found.length === 0 && blank.text !== '') found.push({ label: blank.text, ...blank });
  return found;
}

function labelOf({ value, label }: { value: JsonValue; label: string }): string | undefined {
  return label === value || label === jsonText(value) ? undefined : label;
}

function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}

/** Removes candidates with the same text. The first one is kept; its missing detail is taken from the later ones. */
function distinct(candidates: readonly Candidate[]): Candidate[] {
  const byText = new Map<string, Candidate>();
  for (const candidate of candidates) {
    const known = byText.get(candidate.text);
    byText.set(candidate.text, known ? { ...known, detail: known.detail ?? candidate.detail } : candidate);
  }
  return [...byText.values()];
}

/** The completions whose label contains the typed text. Those that begin with it come first. */
function matching(candidates: readonly Candidate[], typed: string): Candidate[] {
  const wanted = typed.toLowerCase();
  const plain = ({ label }: Candidate) => label.replace(/^"/, '').toLowerCase();
  const begins = candidates.filter((one) => plain(one).startsWith(wanted));
  const others = candidates.filter((one) => !begins.includes(one) && plain(one).includes(wanted));
  return [...begins, ...others];
}

function placed(candidate: Candidate, cursor: JsonCursor, source: string): JsonCompletion {
  const { range, commaAt, needsCommaAfter } = cursor;
  // The missing comma belongs directly after the value before.
  const from = commaAt ?? range.from;
  const before = commaAt === undefined ? '' : `,${source.slice(commaAt, range.from)}`;
  const { label, detail, about, text, caret = text.length, goesOn = false } = candidate;
  return {
    label,
    ...(detail === undefined ? {} : { detail }),
    ...(about === undefined ? {} : { about }),
    text: before + text + (needsCommaAfter ? ',' : ''),
    from,
    to: range.to,
    caret: from + before.length + caret,
    goesOn,
  };
}
