import { t } from '@vscode/l10n';
import { wordSet } from '../wordSet.js';

/** Abbreviations that are written in capitals. */
const capitals = wordSet(`
  api cpu css csv db dns html http https id ip json md os pdf pr sdk sha sql ssh ssl svg tls ui uri url utc
  uuid xml yaml
`);

/**
 * The words of an identifier in lower case: `maxResults`, `max_results`, and `MAX-results` all become `max results`.
 */
export function wordsOf(name: string): string[] {
  return split(name).map((word) => word.toLowerCase());
}

function split(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '');
}

/**
 * The label of a field without a title: the words of its name in sentence case (`file_path` becomes "File path",
 * `userId` becomes "User ID"). Names that are not identifiers and names in capitals (`GITHUB_TOKEN`) are unchanged,
 * because users know them in this form.
 */
export function labelOf(name: string): string {
  if (!/^[$_]*[A-Za-z][A-Za-z0-9_-]{0,59}$/.test(name) || /^[A-Z0-9_-]{2,}$/.test(name)) return name;
  const [first = name, ...rest] = split(name).map(inSentence);
  return [first.charAt(0).toUpperCase() + first.slice(1), ...rest].join(' ');
}

function inSentence(word: string): string {
  if (/^[A-Z][A-Z0-9]+$/.test(word)) return word;
  const lower = word.toLowerCase();
  if (capitals.has(lower)) return word.toUpperCase();
  return lower === 'ids' || lower === 'urls' || lower === 'uris' ? `${lower.slice(0, -1).toUpperCase()}s` : lower;
}

/** A short label for a variant that allows only one type. */
export function kindWord(kind: string): string {
  switch (kind) {
    case 'string':
      return t('Text');
    case 'number':
      return t('Number');
    case 'integer':
      return t('Integer');
    case 'boolean':
      return t('True or false');
    case 'array':
      return t('List');
    case 'object':
      return t('Object');
    default:
      return t('Any value');
  }
}
