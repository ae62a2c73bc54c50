import { isObject, isStringArray } from '../base/guards.js';
import { parseConfigText } from '../config/parseConfig.js';
import { looksSecret } from '../interchange/secrets.js';
import type { Localize } from './localize.js';
import { splitCommandLine } from './newServer.js';

/** How a field of a definition is typed on one line. */
export type FieldKind = 'text' | 'words' | 'pairs' | 'number' | 'flag';

/** One field of a server, ready to be shown and typed. */
export interface ServerField {
  name: string;
  kind: FieldKind;
  description: string;
  /** As it is typed; absent: not written. */
  text?: string;
  /** The same without what looks secret, for lists. */
  shown?: string;
}

/** The fields that a definition has or could have: those of its own kind first. */
export function serverFields(fields: Readonly<Record<string, unknown>>, t: Localize): ServerField[] {
  const isLocal = fields['command'] !== undefined;
  const own: [string, FieldKind, string][] = isLocal
    ? [
        ['command', 'text', t('the program to start')],
        ['args', 'words', t('its arguments, quoted where they hold spaces')],
        ['cwd', 'text', t('the folder it runs in')],
        ['env', 'pairs', t('environment variables, NAME=value')],
        ['envFile', 'text', t('a file with further variables')],
      ]
    : [
        ['url', 'text', t('the address')],
        ['headers', 'pairs', t('headers of every request, Name=value')],
        ['caFile', 'text', t('a PEM file with the authorities to trust')],
      ];
  const common: [string, FieldKind, string][] = [
    ['timeoutMs', 'number', t('how long a request may take, milliseconds')],
    ['startTimeoutMs', 'number', t('how long the start may take, milliseconds')],
    ['restartOnCrash', 'flag', t('start it again when it ends by itself')],
    ['disabledTools', 'words', t('tools that are off, names or patterns with *')],
    ['disabled', 'flag', t('keep it in the list, but never start it')],
  ];
  return [...own, ...common].map(([name, kind, description]) => {
    const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
    const text = value === undefined || value === null ? undefined : textOf(kind, value, false);
    return { name, kind, description, ...(text === undefined ? {} : { text, shown: textOf(kind, value, true) ?? text }) };
  });
}

function textOf(kind: FieldKind, value: unknown, isMasked: boolean): string | undefined {
  const show = (name: string, text: string) => (isMasked && looksSecret(name, text.replace(/^(?:Bearer|Basic) /, '')) ? '•••' : text);
  switch (kind) {
    case 'words':
      return isStringArray(value) ? value.map((word, index) => quoted(show(value[index - 1] ?? '', word))).join(' ') : undefined;
    case 'pairs':
      return isObject(value) ? Object.entries(value).map(([name, text]) => quoted(`${name}=${text === null ? '' : show(name, String(text as string | number | boolean))}`)).join(' ') : undefined;
    default:
      return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
  }
}

/** A word so that `splitCommandLine` gives it back. */
function quoted(word: string): string {
  if (word !== '' && !/[\s"'\\]/.test(word)) return word;
  // Within single quotes nothing is special, so only they themselves have to leave them.
  return word.split("'").map((part) => (part === '' ? '' : `'${part}'`)).join(`"'"`) || "''";
}

/** What is typed, as the value of the field; undefined for an empty line, which takes the field away. */
export function readField({ kind, name }: Pick<ServerField, 'kind' | 'name'>, line: string, t: Localize): { value: unknown } | { problem: string } {
  const text = line.trim();
  if (text === '') return { value: undefined };
  if (kind === 'text') return { value: text };
  if (kind === 'flag') return text === 'true' || text === 'false' ? { value: text === 'true' } : { problem: t('Type true or false.') };
  if (kind === 'number') return Number(text) > 0 && Number.isFinite(Number(text)) ? { value: Number(text) } : { problem: t('Type a number above zero.') };
  const words = splitCommandLine(text);
  if (!words) return { problem: t('A quotation mark is not closed.') };
  if (kind === 'words') return { value: words };
  const pairs: [string, string][] = [];
  for (const word of words) {
    const at = word.indexOf('=');
    if (at < 1) return { problem: t('"{0}" is not of the form {1}.', word, name === 'headers' ? 'Name=value' : 'NAME=value') };
    pairs.push([word.slice(0, at), word.slice(at + 1)]);
  }
  return { value: Object.fromEntries(pairs) };
}

/** What is wrong with a definition as a whole, or undefined. */
export function definitionProblem(name: string, fields: Readonly<Record<string, unknown>>): string | undefined {
  const { problems } = parseConfigText(JSON.stringify({ servers: { [name]: fields } }), { id: 'edit', kind: 'vscode', label: 'mcp.json' });
  return problems.find(({ severity }) => severity === 'error')?.message;
}
