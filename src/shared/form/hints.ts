/**
 * Guesses how to draw a field from its name and from details of the schema. A wrong guess affects only the appearance,
 * and whether the value is stored as part of a draft: a secret is not.
 */
import { t } from '@vscode/l10n';
import type { Field, TextFormat } from './form.js';
import { isObject } from '../json.js';
import { wordsOf } from './labels.js';
import { wordSet } from '../wordSet.js';

type Hints = Pick<Field, 'isMultiline' | 'isSecret' | 'picker'>;
type Schema = Record<string, unknown>;

const longTexts = wordSet(`
  body comment content contents css description diff html instructions markdown note notes patch prompt script
  snippet sql template text xml yaml
`);
const longFormats = new Set([
  'markdown',
  'md',
  'html',
  'textarea',
  'multiline',
  'multi-line',
  'text',
  'json',
  'yaml',
  'xml',
  'code',
  'sql',
]);
const fileFormats = new Set(['file', 'file-path', 'filepath', 'path']);
const folderFormats = new Set(['directory', 'directory-path', 'dir', 'folder']);
/** Words that show that a name such as `json_path` does not mean a path in the workspace. */
const otherPaths = new Set(['api', 'css', 'endpoint', 'json', 'url', 'uri', 'x', 'xpath', 'property', 'http']);

/** Hints for a text field. `name` is the name of the property, or of the list that contains the field. */
export function textHints(name: string, schemas: readonly Schema[]): Hints {
  const get = (keyword: string): unknown => schemas.find((schema) => Object.hasOwn(schema, keyword))?.[keyword];
  const words = wordsOf(name.slice(0, 200));
  const format = get('format');
  const hints: Hints = {};
  if (schemas.some((schema) => isSecretArgument(name, schema))) return { isSecret: true };
  const picker = pickerFor(words, format);
  if (picker !== undefined) return { picker };
  const maxLength = get('maxLength');
  if (typeof maxLength === 'number' && maxLength <= 100) return hints;
  const last = words.at(-1) ?? '';
  const mediaType = get('contentMediaType') ?? get('x-content-type');
  const samples = [
    get('default'),
    get('example'),
    ...(Array.isArray(get('examples')) ? (get('examples') as unknown[]).slice(0, 5) : []),
  ];
  const isLong =
    (format === undefined && (longTexts.has(last) || isCode(words))) ||
    (typeof format === 'string' && longFormats.has(format)) ||
    (typeof mediaType === 'string' && /^text\/|json|xml|yaml|javascript/.test(mediaType.slice(0, 100))) ||
    (typeof maxLength === 'number' && maxLength > 1_000 && format === undefined && get('pattern') === undefined) ||
    samples.some((sample) => typeof sample === 'string' && sample.includes('\n'));
  return isLong ? { isMultiline: true } : hints;
}

/**
 * Whether a name means source code: `code` alone, or with `source`. So `status_code` and `country_code` do not match.
 */
function isCode(words: readonly string[]): boolean {
  return words.at(-1) === 'code' && (words.length === 1 || words.includes('source'));
}

function pickerFor(words: readonly string[], format: unknown): Field['picker'] {
  if (typeof format === 'string') {
    if (folderFormats.has(format)) return 'folder';
    if (fileFormats.has(format)) return format === 'path' ? 'any' : 'file';
    return undefined;
  }
  const last = (words.at(-1) ?? '').replace(/^(path|file|folder|dir)s$/, '$1').replace(/^directories$/, 'directory');
  if (words.some((word) => otherPaths.has(word))) return undefined;
  const isFolder = words.some((word) => /^(dir|directory|folder)$/.test(word));
  if (/^(dir|directory|folder|cwd)$/.test(last)) return 'folder';
  if (/^(path|paths)$/.test(last)) return isFolder ? 'folder' : words.includes('file') ? 'file' : 'any';
  if (/^(file|filepath)$/.test(last)) return 'file';
  return undefined;
}

/** Whether an argument looks like a secret, by its format or its name. */
export function isSecretArgument(name: string, schema: unknown): boolean {
  if (isObject(schema) && (schema['format'] === 'password' || schema['writeOnly'] === true)) return true;
  return /passw(or)?d|passphrase|secret|(api|access|private|auth)[-_ ]?(key|token)|bearer|credential|^(token|pin|pwd)$/i.test(
    name.slice(0, 200),
  );
}

const examples: Record<string, string> = {
  date: '2026-11-21',
  time: '14:30:00Z',
  'date-time': '2026-11-21T14:30:00Z',
  email: 'name@example.org',
  uri: 'https://example.org/page',
  url: 'https://example.org/page',
  uuid: '123e4567-e89b-12d3-a456-426614174000',
  ipv4: '192.0.2.1',
  hostname: 'example.org',
  duration: 'P1DT2H',
};

/** An example of a value in this format. Undefined for unknown formats. */
export function formatExample(format: string): string | undefined {
  return Object.hasOwn(examples, format) ? examples[format] : undefined;
}

/** The format if a control supports it, `other` for any other format. Undefined if the schema has none. */
export function textFormatOf(format: unknown): TextFormat | undefined {
  if (typeof format !== 'string') return undefined;
  switch (format.toLowerCase()) {
    case 'date':
    case 'time':
    case 'date-time':
    case 'email':
    case 'uri':
    case 'uuid':
    case 'color':
    case 'json':
      return format.toLowerCase() as TextFormat;
    case 'datetime':
      return 'date-time';
    case 'idn-email':
      return 'email';
    case 'url':
    case 'iri':
      return 'uri';
    case 'guid':
      return 'uuid';
    default:
      return 'other';
  }
}

/**
 * The bounds that are worth showing. A bound at or beyond the largest safe integers is left out, because schema
 * generators often add such bounds automatically.
 */
export function shownBounds({ minimum, maximum }: { minimum?: number | undefined; maximum?: number | undefined }): {
  minimum?: number;
  maximum?: number;
} {
  return {
    ...(minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER ? { minimum } : {}),
    ...(maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER ? { maximum } : {}),
  };
}

/** The placeholder of a field: its first example, an example of its format, or its range. */
export function placeholderFor(
  field: Pick<Field, 'examples'>,
  format: unknown,
  bounds: { minimum?: number; maximum?: number },
): string | undefined {
  const [example] = field.examples ?? [];
  if (typeof example === 'string' || typeof example === 'number') return t('for example {0}', example);
  if (typeof format === 'string') return formatExample(format);
  const { minimum, maximum } = shownBounds(bounds);
  return minimum !== undefined && maximum !== undefined ? t('{0} to {1}', minimum, maximum) : undefined;
}
