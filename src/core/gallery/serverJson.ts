/**
 * Reads fields of a `server.json` (schemas 2025-07-09 to 2025-12-11). Everything in it is untrusted: only own
 * properties are read, and a text or list over its limit makes the package or remote unsupported.
 */
import { isObject } from '../base/guards.js';

/** A part of a `server.json` that cannot become a definition. */
export class Unsupported extends Error {}

/** An object of a `server.json`. */
export type JsonFields = Readonly<Record<string, unknown>>;

/** A value that the user is asked for. */
export interface GalleryInput {
  description?: string;
  placeholder?: string;
  /** The text if the user gives none. */
  default?: string;
  choices?: readonly string[];
  /** `string` if it is absent. */
  format?: 'string' | 'number' | 'boolean' | 'filepath';
  isRequired: boolean;
  isSecret: boolean;
  /** Whether there may be several answers, each of which becomes an argument of its own. */
  isRepeated: boolean;
  /** Present if the input is an option without a value: `true` adds it, `false` omits it. */
  isFlag?: true;
}

/**
 * The text for an input; undefined if the user gave none, and then the default applies. For an input that is not
 * repeated, only the first item of a list is used.
 */
export type Answers = (key: string, input: GalleryInput) => string | readonly string[] | undefined;

const maxText = 10_000;
const maxItems = 300;

/** A field under its present name or under the name with underscores of schema 2025-07-09. */
export function field(fields: JsonFields, name: string): unknown {
  if (Object.hasOwn(fields, name)) return fields[name];
  const older = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.hasOwn(fields, older) ? fields[older] : undefined;
}

/**
 * A text. Numbers and booleans are converted.
 * @throws Unsupported for a text that is too long, that no process accepts (U+0000), or that MCP Deck would replace by
 *   a value of the user's machine when the definition is in a file (`${env:…}`).
 */
export function textField(fields: JsonFields, name: string): string | undefined {
  return asText(field(fields, name));
}

function asText(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string') return undefined;
  if (value.length > maxText || value.includes('\0') || /\$\{\w+:/.test(value)) throw new Unsupported();
  return value;
}

/** A text that is only shown, cut at its limit. */
function shownField(fields: JsonFields, name: string): string | undefined {
  const value = field(fields, name);
  return typeof value === 'string' ? value.slice(0, maxText) : undefined;
}

/** The objects of a list, each with its position; entries of other types are skipped. */
export function listField(fields: JsonFields, name: string): [index: number, item: JsonFields][] {
  const value = field(fields, name);
  if (!Array.isArray(value)) return [];
  if (value.length > maxItems) throw new Unsupported();
  return value.flatMap((item: unknown, index): [number, JsonFields][] => (isObject(item) ? [[index, item]] : []));
}

/** The variables of an input or a transport, by name. */
export function variablesOf(fields: JsonFields): Map<string, JsonFields> {
  const value = field(fields, 'variables');
  if (!isObject(value)) return new Map();
  const entries = Object.entries(value);
  if (entries.length > maxItems) throw new Unsupported();
  return new Map(entries.flatMap(([name, item]): [string, JsonFields][] => (isObject(item) ? [[name, item]] : [])));
}

const formats = ['string', 'number', 'boolean', 'filepath'] as const;

/** Reads an `Input` of the schema: what the user is asked for. */
export function inputOf(fields: JsonFields): GalleryInput {
  const format = formats.find((known) => known === field(fields, 'format'));
  const choices = field(fields, 'choices');
  const texts = Array.isArray(choices)
    ? choices.slice(0, maxItems).flatMap((choice: unknown) => asText(choice) ?? [])
    : [];
  const standard = textField(fields, 'default');
  const description = shownField(fields, 'description');
  const placeholder = shownField(fields, 'placeholder');
  return {
    ...(description === undefined ? {} : { description }),
    ...(placeholder === undefined ? {} : { placeholder }),
    ...(standard === undefined ? {} : { default: standard }),
    ...(texts.length === 0 ? {} : { choices: texts }),
    ...(format === undefined ? {} : { format }),
    isRequired: field(fields, 'isRequired') === true,
    isSecret: field(fields, 'isSecret') === true,
    isRepeated: field(fields, 'isRepeated') === true,
  };
}
