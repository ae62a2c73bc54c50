/**
 * The manifest of a bundle (MCPB, versions 0.1 to 0.4): what it runs and asks for. Source:
 * https://github.com/modelcontextprotocol/mcpb/blob/main/MANIFEST.md
 */
import { isObject, isStringArray, valueAt } from '../base/guards.js';
import { DefinitionLength, filledText, joinedValues, TooLong } from './filledText.js';
import type { Answers, JsonFields, GalleryInput } from './serverJson.js';
import { field, textField, Unsupported } from './serverJson.js';

/** Where an unpacked bundle runs. */
export interface BundlePlace {
  /** The folder that the bundle was unpacked into, an absolute path. */
  folder: string;
  home: string;
  platform: 'win32' | 'darwin' | 'linux';
}

/** The name of an operating system in manifests. Every system except Windows and macOS is treated as Linux. */
export function bundlePlatform(platform: NodeJS.Platform = process.platform): BundlePlace['platform'] {
  return platform === 'win32' || platform === 'darwin' ? platform : 'linux';
}

/** The program that a bundle runs. */
export type BundleDefinition =
  /** `isTooLong`: the manifest is valid, but its texts are too long after their variables are filled in. */
  { unsupported: true; isTooLong?: true } | { command: string; args: string[]; env: Record<string, string> };

const maxInputs = 200;

/**
 * The definition that follows from the manifest of an unpacked bundle. Never throws, whatever the manifest contains.
 * @param answers gives the texts for the keys `user_config/<name>`. Only inputs that the start uses are asked for. A
 *   word that is an input with several values becomes several words; a word or variable that needs a missing value is
 *   omitted.
 */
export function defineBundle(manifest: unknown, place: BundlePlace, answers: Answers): BundleDefinition {
  try {
    return startOf(manifest, place, answers);
  } catch (error) {
    if (error instanceof TooLong) return { unsupported: true, isTooLong: true };
    if (error instanceof Unsupported) return { unsupported: true };
    throw error;
  }
}

function startOf(manifest: unknown, place: BundlePlace, answers: Answers): BundleDefinition {
  const config = valueAt(manifest, ['server', 'mcp_config']);
  const platforms = valueAt(manifest, ['compatibility', 'platforms']);
  if (!isObject(config) || (isStringArray(platforms) && !platforms.includes(place.platform))) throw new Unsupported();
  const override = valueAt(config, ['platform_overrides', place.platform]);
  const start: JsonFields = isObject(override) ? { ...config, ...override } : config;
  const values = valuesFor(manifest, place, answers);
  const length = new DefinitionLength();
  const [command] = wordsOf(textField(start, 'command') ?? '', values);
  if (command === undefined || command === '') throw new Unsupported();
  const args = field(start, 'args') ?? [];
  const env = { ...objectOf(config['env']), ...objectOf(field(start, 'env')) };
  if (!isStringArray(args) || args.length > maxInputs || Object.keys(env).length > maxInputs) throw new Unsupported();
  const variables = Object.keys(env).flatMap((name): [string, string][] => {
    if (/[=\p{Cc}]/u.test(name)) throw new Unsupported();
    const words = wordsOf(textField(env, name) ?? '', values);
    if (words.length === 0) return [];
    const value = joinedValues(words);
    length.counted([name, value]);
    return [[name, value]];
  });
  length.counted([command]);
  return {
    command,
    args: args.flatMap((word) => length.counted(wordsOf(textField({ word }, 'word') ?? '', values))),
    env: Object.fromEntries(variables),
  };
}

/** The values of a `${name}`; undefined for a name that the format does not have. */
type Values = (name: string) => readonly string[] | undefined;

/** The values of the variables that every bundle has. */
function fixedValuesOf({ folder, home, platform }: BundlePlace): Values {
  const separator = platform === 'win32' ? '\\' : '/';
  const fixed = new Map<string, string>([
    ['__dirname', folder],
    ['HOME', home],
    ['DESKTOP', `${home}${separator}Desktop`],
    ['DOCUMENTS', `${home}${separator}Documents`],
    ['DOWNLOADS', `${home}${separator}Downloads`],
    ['/', separator],
    ['pathSeparator', separator],
  ]);
  return (name) => (fixed.has(name) ? [fixed.get(name) ?? ''] : undefined);
}

/**
 * A text with the values of the variables that every bundle has, such as `${HOME}`. Other variables stay. A text that
 * would be too long is returned unchanged.
 */
export function filledIn(template: string, place: BundlePlace): string {
  try {
    return wordsOf(template, fixedValuesOf(place)).join('');
  } catch (error) {
    if (error instanceof TooLong) return template;
    throw error;
  }
}

function valuesFor(manifest: unknown, place: BundlePlace, answers: Answers): Values {
  const fixedValues = fixedValuesOf(place);
  const answered = new Map<string, readonly string[]>();
  return (name) => {
    if (!name.startsWith('user_config.')) return fixedValues(name);
    const known = answered.get(name);
    if (known) return known;
    const key = name.slice('user_config.'.length);
    const fields = valueAt(manifest, ['user_config', key]);
    const values = isObject(fields) ? userValues(fields, `user_config/${key}`, fixedValues, answers) : [];
    answered.set(name, values);
    return values;
  };
}

/** The values of an input. Defaults can contain `${HOME}`; what the user entered is never replaced. */
function userValues(fields: JsonFields, key: string, fixed: Values, answers: Answers): readonly string[] {
  const standard = field(fields, 'default');
  const texts = (Array.isArray(standard) ? standard : [standard]).flatMap((value: unknown) =>
    wordsOf(textField({ value }, 'value') ?? '', fixed),
  );
  const defaults = standard === undefined ? [] : texts;
  const input = inputOf(fields, defaults);
  const answer = answers(key, input) ?? defaults;
  const list = typeof answer === 'string' ? [answer] : answer;
  return input.isRepeated ? list : list.slice(0, 1);
}

function inputOf(fields: JsonFields, defaults: readonly string[]): GalleryInput {
  const type = field(fields, 'type');
  const description = textField(fields, 'description') ?? textField(fields, 'title');
  return {
    ...(description === undefined ? {} : { description }),
    ...(defaults[0] === undefined ? {} : { default: defaults[0] }),
    format:
      type === 'number' || type === 'boolean' ? type : type === 'file' || type === 'directory' ? 'filepath' : 'string',
    isRequired: field(fields, 'required') === true,
    isSecret: field(fields, 'sensitive') === true,
    isRepeated: field(fields, 'multiple') === true,
  };
}

/**
 * One word, or several if it is exactly one variable with several values; none if a value is missing.
 * @throws TooLong
 */
function wordsOf(template: string, values: Values): readonly string[] {
  const alone = /^\$\{([^{}]+)\}$/.exec(template)?.[1];
  const whole = alone === undefined ? undefined : values(alone);
  if (whole) return whole;
  let isMissing = false;
  const word = filledText(template, /\$\{([^{}]+)\}/g, (name) => {
    const list = values(name);
    if (list?.length === 0) isMissing = true;
    return list && joinedValues(list);
  });
  return isMissing ? [] : [word];
}

function objectOf(value: unknown): JsonFields {
  return isObject(value) ? value : {};
}
