/** The form of a package or remote: its inputs, the name of the server, and where the server is saved. */
import { t } from '@vscode/l10n';
import { shownText } from '../../base/hostileText.js';
import { freeName, slugOf } from '../../base/freeName.js';
import { isObject } from '../../base/guards.js';
import { visibleName } from '../../base/visibleName.js';
import type { InputDefinition } from '../../config/serverDefinition.js';
import type { GalleryDefinition } from '../../gallery/define.js';
import { define } from '../../gallery/define.js';
import { nameParts } from '../../gallery/galleryEntry.js';
import type { InstalledFrom } from '../../gallery/installedFrom.js';
import { galleryFields } from '../../gallery/installedFrom.js';
import type { JsonFields, GalleryInput } from '../../gallery/serverJson.js';
import { field } from '../../gallery/serverJson.js';
import type { OpenServer } from '../../interchange/pasted/openValues.js';
import type { PlainSecret } from '../../interchange/plainSecrets.js';
import type { JsonSchema } from '../../protocol/mcp.js';

/** An input that the user is asked for. */
export interface AskedInput extends GalleryInput {
  /** Its key for `define`, such as `env/API_KEY`. */
  key: string;
  /** The name of the variable, header, option, or part of the URL. */
  name: string;
}

/** Maximum number of inputs of a form. */
const maxInputs = 100;

/** The inputs of a package or remote, in the order in which `define` asks for them. */
export function askedInputs(server: JsonFields, option: string): AskedInput[] {
  const found = new Map<string, AskedInput>();
  define(server, option, (key, input) => {
    if (found.size < maxInputs && !found.has(key)) found.set(key, { ...input, key, name: nameOf(server, option, key) });
    return undefined;
  });
  return [...found.values()];
}

/** The schema of the inputs. The keys of the inputs contain a slash, so they differ from the other fields. */
export function inputsSchema(inputs: readonly AskedInput[]): JsonSchema {
  return {
    type: 'object',
    required: inputs.filter((one) => one.isRequired && one.default === undefined).map(({ key }) => key),
    properties: Object.fromEntries(inputs.map((input) => [input.key, inputSchema(input)])),
  };
}

/** The values that the form starts with: the defaults, except those of secrets. */
export function defaultValues(inputs: readonly AskedInput[]): Record<string, unknown> {
  return Object.fromEntries(
    inputs.flatMap((input): [string, unknown][] => {
      const value = input.isSecret ? undefined : defaultOf(input);
      return value === undefined ? [] : [[input.key, isList(input) ? [value] : value]];
    }),
  );
}

/** The name that is suggested for a server: the last part of its name in the registry. */
export function suggestedName(name: string): string {
  return slugOf(nameParts(name).short.slice(0, 60)) || slugOf(name.slice(0, 60)) || 'server';
}

/** A server with the values of the form, or the definition that cannot be saved. */
export type Filled = { server: OpenServer } | { definition: GalleryDefinition };

/**
 * Converts the values of the form to a server. Each secret becomes an input, and its value is only in `secrets`.
 * @param from the registry entry, which is recorded in the definition.
 */
export function filledServer(
  server: JsonFields,
  option: string,
  values: Readonly<Record<string, unknown>>,
  { name, place, from }: { name: string; place: string; from: InstalledFrom },
): Filled {
  const inputs: InputDefinition[] = [];
  const secrets: PlainSecret[] = [];
  const ids = new Map<string, string>();
  const hidden = (key: string, input: GalleryInput, value: string): string => {
    const known = ids.get(key);
    if (known !== undefined) return `\${input:${known}}`;
    const called = nameOf(server, option, key);
    const id = freeName(slugOf(name, called) || 'secret', new Set(ids.values()));
    ids.set(key, id);
    const description = shownText(input.description ?? called, 300);
    inputs.push({ type: 'promptString', id, description, password: true });
    secrets.push({ server: name, ...placeOf(key), before: '', value, id });
    return `\${input:${id}}`;
  };
  const definition = define(server, option, (key, input) => {
    const given = Object.hasOwn(values, key) ? values[key] : undefined;
    const texts = (Array.isArray(given) ? (given as unknown[]) : [given]).flatMap(valueTexts);
    if (texts.length === 0) return undefined;
    if (input.isSecret) return hidden(key, input, texts[0] ?? '');
    return input.isRepeated ? texts : texts[0];
  });
  const fields = fieldsOf(definition);
  if (!fields) return { definition };
  return {
    server: { server: { name, fields: { ...fields, ...galleryFields(place, from) } }, inputs, secrets, needs: [] },
  };
}

/**
 * The fields of an entry in a configuration file. Undefined for a bundle, for a package that is started and then
 * reached at a URL, and for a package that is not supported.
 */
function fieldsOf(definition: GalleryDefinition): Record<string, unknown> | undefined {
  if ('command' in definition && definition.url === undefined) {
    const { command, args, env } = definition;
    return { type: 'stdio', command, args, ...(Object.keys(env).length === 0 ? {} : { env }) };
  }
  if (!('transport' in definition) || 'command' in definition || 'file' in definition) return undefined;
  const { url, headers, transport } = definition;
  const type = transport === 'sse' ? 'sse' : 'http';
  return { type, url, ...(headers === undefined || Object.keys(headers).length === 0 ? {} : { headers }) };
}

/** Where the secret is, for `PlainSecret`. */
function placeOf(key: string): Pick<PlainSecret, 'field' | 'name'> {
  const [list = '', name = ''] = key.split('/');
  return list === 'env' || list === 'headers' ? { field: list, name } : { field: 'args', name };
}

/** The name of an input for the user: the name of its variable, header or option. */
function nameOf(server: JsonFields, option: string, key: string): string {
  const variable = /\/variables\/(.+)$/s.exec(key)?.[1];
  if (variable !== undefined) return variable;
  const [list = '', name = ''] = [key.slice(0, key.indexOf('/')), key.slice(key.indexOf('/') + 1)];
  if (list === 'env' || list === 'headers') return name;
  const [kind = '', at = ''] = option.split('/');
  const entries = field(server, kind);
  const item: unknown = Array.isArray(entries) ? entries[Number(at)] : undefined;
  const items = isObject(item) ? field(item, list) : undefined;
  const argument: unknown = Array.isArray(items) ? items[Number(name)] : undefined;
  const texts = isObject(argument) ? [field(argument, 'name'), field(argument, 'valueHint')] : [];
  const found = texts.find((text) => typeof text === 'string' && text !== '');
  return typeof found === 'string' ? found.replace(/^-+/, '') : t('Argument {0}', Number(name) + 1);
}

function inputSchema(input: AskedInput): JsonSchema {
  const description = [shownText(input.description ?? '', 1_000).trim(), whereText(input.key)];
  const one = valueSchema(input);
  const texts = {
    title: visibleName(input.name, 80),
    description: description.filter((text) => text !== '').join('\n'),
  };
  return isList(input) ? { type: 'array', items: one, ...texts } : { ...one, ...texts };
}

/** Whether the input takes a list of values. An option without a value is added at most once. */
function isList({ isRepeated, isFlag }: AskedInput): boolean {
  return isRepeated && isFlag !== true;
}

function valueSchema({ choices, format, isFlag, isSecret, placeholder }: AskedInput): JsonSchema {
  if (isFlag) return { type: 'boolean' };
  if (choices && choices.length > 0) return { type: 'string', enum: [...choices] };
  if (isSecret) return { type: 'string', format: 'password' };
  const examples = placeholder === undefined ? {} : { examples: [shownText(placeholder, 100)] };
  if (format === 'boolean') return { type: 'boolean' };
  if (format === 'number') return { type: 'number', ...examples };
  // With a format, the form does not guess from the name of the field whether the value is a path.
  return { type: 'string', ...(format === 'filepath' ? { format: 'path' } : {}), ...examples };
}

function defaultOf({ default: text, format, isFlag, choices }: AskedInput): string | number | boolean | undefined {
  if (text === undefined) return undefined;
  if (choices && choices.length > 0) return choices.includes(text) ? text : undefined;
  if (isFlag || format === 'boolean') return text === 'true' ? true : text === 'false' ? false : undefined;
  if (format === 'number') return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : undefined;
  return text;
}

/** The place of the value in the definition. */
function whereText(key: string): string {
  if (key.startsWith('env/')) return t('Environment variable.');
  if (key.startsWith('headers/')) return t('HTTP header.');
  if (key.startsWith('url/')) return t('Part of the URL.');
  return t('Argument of the command.');
}

/** A value of the form as text. Empty texts count as missing. */
function valueTexts(value: unknown): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  return typeof value === 'number' || typeof value === 'boolean' ? [String(value)] : [];
}

/** Whether a definition contains a variable from the author of the entry, other than the inputs for secrets. */
export function hasForeignVariable({ server, inputs }: OpenServer): boolean {
  const own = inputs.reduce((text, { id }) => text.replaceAll(`\${input:${id}}`, ''), JSON.stringify(server.fields));
  return own.includes('${');
}
