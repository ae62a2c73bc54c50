/**
 * Parses the JSON of a list of servers in turns of the event loop. A registry decides how large and how deep its
 * answers are, and `JSON.parse` of a whole answer would block the extension host and need many times its size. The items
 * of the list are found by their brackets, and each is parsed and read on its own; an item that is too large for an
 * entry, or beyond the maximum number of items, is skipped unparsed.
 */
import { isObject } from '../base/guards.js';
import { runInSlices } from '../base/timeSlice.js';
import type { GalleryEntry } from './galleryEntry.js';

/** Maximum length of one item, in UTF-16 code units; an entry with its facts is smaller. */
const maxItem = 250_000;
/** Maximum number of items; more than the entries of a registry (see `maxEntries`). */
const maxItems = 100_000;
/** Maximum length of a document that is parsed whole. */
const maxWhole = 200_000;
/** The number of tokens after which a turn can end. */
const tokensPerStep = 500;

/** A document: `{ "servers": [ … ] }` or `[ … ]` with the items apart, or another value. */
export interface ListDocument<Item> {
  /** The items that are not too large and not too many; absent if the document is not a list. */
  items?: Item[];
  /** The document without its items. */
  rest: unknown;
}

/** A document of a registry. Items that are no entries are undefined. */
export type ServerDocument = ListDocument<GalleryEntry | undefined>;

/**
 * Parses a document. Rejects with a SyntaxError if it is not JSON, or is large and is not a list.
 * @param read reads an item. Only its result is kept.
 */
export function parseList<Item>(
  text: string,
  read: (value: unknown) => Item,
  signal?: AbortSignal,
): Promise<ListDocument<Item>> {
  return runInSlices(parsed(text, read), signal);
}

function* parsed<Item>(text: string, read: (value: unknown) => Item): Generator<undefined, ListDocument<Item>> {
  if (text.length <= maxWhole) {
    const document: unknown = JSON.parse(text);
    if (Array.isArray(document)) return { items: document.map(read), rest: [] };
    if (!isObject(document) || !Array.isArray(document['servers'])) return { rest: document };
    return { items: document['servers'].map(read), rest: { ...document, servers: [] } };
  }
  const list = yield* listIn(text, read);
  const rest = list ? text.slice(0, list.from) + text.slice(list.to) : text;
  if (rest.length > maxItem) throw new SyntaxError('The document is large and is not a list of servers.');
  const document: unknown = JSON.parse(rest);
  return list ? { items: list.items, rest: document } : { rest: document };
}

interface PlacedList<Item> {
  items: Item[];
  /** The places of the first item and of the closing bracket in the document. */
  from: number;
  to: number;
}

/** The list `servers` of the outer object, or the outer list; undefined if there is none, or it does not end. */
function* listIn<Item>(
  text: string,
  read: (value: unknown) => Item,
): Generator<undefined, PlacedList<Item> | undefined> {
  const items: Item[] = [];
  let start = -1;
  const add = (from: number, to: number) => {
    if (to - from <= maxItem && items.length < maxItems) items.push(read(JSON.parse(text.slice(from, to))));
  };
  const token = /"(?:[^"\\]|\\.){0,200}"|["[\]{},]/gs;
  let depth = 0;
  /** The depth inside of the list; undefined before it begins. */
  let listDepth: number | undefined;
  let from = -1;
  let key = '';
  let count = 0;
  for (let match = token.exec(text); match; match = token.exec(text)) {
    if (++count % tokensPerStep === 0) yield;
    const [found] = match;
    if (found === '"') {
      const end = endOfText(text, match.index);
      if (end === undefined) return undefined;
      token.lastIndex = end;
    } else if (found.length > 1) {
      if (depth === 1) key = found;
    } else if (found === '[' || found === '{') {
      depth++;
      const isList = found === '[' && (depth === 1 || (depth === 2 && key === '"servers"'));
      if (!isList || listDepth !== undefined) continue;
      listDepth = depth;
      start = from = match.index + 1;
    } else if (found === ',') {
      if (depth !== listDepth) continue;
      add(from, match.index);
      from = match.index + 1;
    } else {
      if (depth === listDepth) {
        if (from !== start || text.slice(from, match.index).trim() !== '') add(from, match.index);
        return { items, from: start, to: match.index };
      }
      depth--;
    }
  }
  return undefined;
}

/** The place after the text that begins at `start`; undefined if it does not end. */
function endOfText(text: string, start: number): number | undefined {
  for (let quote = text.indexOf('"', start + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let slashes = 0;
    while (text[quote - 1 - slashes] === '\\') slashes++;
    if (slashes % 2 === 0) return quote + 1;
  }
  return undefined;
}
