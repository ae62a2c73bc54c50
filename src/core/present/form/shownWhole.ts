import { exactText } from '../../base/exactText.js';
import { isObject } from '../../base/guards.js';
import { isSecretArgument } from '../../../shared/form/hints.js';
import type { InputDefinition } from '../../config/serverDefinition.js';
import type { WrittenFields } from './serverForm.js';

/** Maximum length of a text that a one-line field shows in full; `webview/form/textControl.ts` wraps longer ones. */
const maxLineText = 60;
/** Maximum length of a text that a field with wrapped lines shows in full, in UTF-16 code units. */
const maxWrappedText = 600;
/** Maximum number of names and values of a definition that a user can be expected to read on a page. */
const maxTexts = 60;

/** Maximum number of lines of JSON text that a page shows without scrolling. */
const maxJsonLines = 20;

/** A definition as a page showed it. */
export interface ShownDefinition {
  /** The definition that the page drew, with long texts in multi-line fields. Later input may be in one-line fields. */
  drawn: WrittenFields;
  /** The schema of the form. Fields that are not in the schema may be outside the visible part of the page. */
  schema: unknown;
  /** The parts that the page showed as JSON text, which is not wrapped. Absent if there are none. */
  json?: string;
}

/**
 * Whether the page of a definition showed each name and value completely and unchanged, so that a click on the page's
 * button also approves the start (`StartApproval.approveShown`). False for a definition with a text that a field may
 * cut, with blanks or characters that are not visible, with fields that the form does not list, or with more texts than
 * a page shows. Also false if a value is a secret that the page hid with dots and the user did not type. Takes linear
 * time.
 */
export function isShownWhole(fields: WrittenFields, { drawn, schema, json }: ShownDefinition): boolean {
  const texts = textsIn(fields);
  if (texts.length > maxTexts || (json !== undefined && !isJsonShown(json))) return false;
  const before = new Set(textsIn(drawn));
  const wrapped = json === undefined ? before : new Set();
  return (
    isListed(fields, schema, '', before) &&
    texts.every((text) => {
      if (text === '') return true;
      const most = wrapped.has(text) ? maxWrappedText : maxLineText;
      return text.length <= most && isExact(text);
    })
  );
}

/**
 * Whether a page that names an input also shows everything about it: it has no command, no choices, and no default
 * value.
 */
export function isInputShown({ type, default: initial }: InputDefinition): boolean {
  return type === 'promptString' && initial === undefined;
}

/** Whether a JSON editor without wrapped lines shows the whole text, and the text has no `\u` escapes. */
function isJsonShown(json: string): boolean {
  const lines = json.split('\n', maxJsonLines + 1);
  return (
    lines.length <= maxJsonLines &&
    !/(?:^|[^\\])(?:\\\\)*\\u/.test(json) &&
    lines.every((line) => line.length <= maxLineText && isExact(`{${line.trim()}`))
  );
}

function isExact(text: string): boolean {
  return exactText(text) === text;
}

/**
 * Whether the schema lists all fields, and the user has typed every secret. A secret that is in `before`, the texts
 * before the user's input, was not typed.
 */
function isListed(value: unknown, schema: unknown, name: string, before: ReadonlySet<string>): boolean {
  if (typeof value === 'string') return !isSecretArgument(name, schema) || !before.has(value);
  if (typeof value !== 'object' || value === null) return true;
  const { items, properties, additionalProperties } = isObject(schema) ? schema : {};
  if (Array.isArray(value)) return isObject(items) && value.every((item) => isListed(item, items, name, before));
  return Object.entries(value).every(([key, inner]) => {
    if (isObject(properties) && Object.hasOwn(properties, key)) return isListed(inner, properties[key], key, before);
    // The form shows the values of additional fields, such as variables, without dots.
    return isObject(additionalProperties) && isListed(inner, additionalProperties, '', before);
  });
}

/** Every name and every value as text. Stops soon after `maxTexts` is exceeded. */
function textsIn(fields: WrittenFields): string[] {
  const texts: string[] = [];
  const left: unknown[] = [fields];
  while (left.length > 0 && texts.length <= maxTexts) {
    const value = left.pop();
    if (Array.isArray(value)) left.push(...(value as unknown[]).slice(0, maxTexts + 1));
    else if (isObject(value)) {
      const entries = Object.entries(value).slice(0, maxTexts + 1);
      texts.push(...entries.map(([name]) => name));
      left.push(...entries.map(([, item]) => item));
    } else texts.push(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
  }
  return texts;
}
