/** Reads the YAML files of other apps within limits. */
import type { Document, Node } from 'yaml';
import { LineCounter } from 'yaml';
import { messageOf } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import { objectOf } from '../base/objectCopy.js';
import { parseYaml, yamlExcess } from '../schema/boundedYaml.js';

/** Maximum length of a text that is parsed, in UTF-16 code units. */
export const maxAppTextLength = 5 * 1024 * 1024;
/** Maximum nesting. */
const depth = 60;
/** The parser of YAML is slow for a text with many parts. */
const limits = { length: maxAppTextLength, depth, tokens: 40_000 } as const;
/** The part of the length limit that each value counts, besides its text. */
const valueLength = 20;

const tooLarge = 'The file has too many parts, or is nested too deeply, and was not read.';

/**
 * Parses a file with one document. All tags are ignored, so that each value is a text, a number, a Boolean, null, a
 * list, or an object.
 * @param isEdited whether the document is written back, so that errors in its syntax are not ignored.
 * @throws Error, with a sentence about the file, if it cannot be parsed within the limits.
 */
export function parseAppYaml(text: string, isEdited = false): Document {
  if (yamlExcess(text, limits) !== undefined) throw new Error(tooLarge);
  const lineCounter = new LineCounter();
  const options = { schema: 'core', resolveKnownTags: false, logLevel: 'silent', lineCounter } as const;
  const { document, hasMore } = valid(() => parseYaml(text, options));
  if (!document) throw new Error('The file has too many errors and was not read.');
  const [error] = document.errors;
  if (error && isEdited)
    throw new Error(`The file is not valid YAML. Line ${lineCounter.linePos(error.pos[0]).line}: ${error.message}.`);
  if (hasMore && isEdited) throw new Error('The file contains several YAML documents.');
  return document;
}

/**
 * The value of a document or of one of its nodes as plain data. Names that are not texts become texts, and each alias
 * becomes a copy of its value.
 * @param node default: the whole document.
 * @throws Error, with a sentence about the file, if the copies exceed the limits, or if an alias is part of its own value.
 */
export function plainYaml(document: Document, node?: Node): unknown {
  const options = { mapAsMap: true };
  let left = maxAppTextLength;
  const copy = (value: unknown, level: number): unknown => {
    left -= valueLength + (typeof value === 'string' ? value.length : 0);
    if (left < 0 || level > depth) throw new Error(tooLarge);
    if (Array.isArray(value)) return value.map((item: unknown) => copy(item, level + 1));
    if (!(value instanceof Map)) return value;
    return objectOf([...value].map(([name, member]: [unknown, unknown]) => [nameOf(name), copy(member, level + 1)]));
  };
  return copy(
    valid((): unknown => (node ? node.toJS(document, options) : document.toJS(options))),
    0,
  );
}

/** What the library returns. Its errors become sentences about the file. */
function valid<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new Error(`The file is not valid YAML: ${visibleLine(messageOf(error))}`);
  }
}

function nameOf(name: unknown): string {
  if (typeof name === 'string') return name;
  if (typeof name === 'number' || typeof name === 'boolean') return String(name);
  return name === null ? '' : '[object]';
}
