/**
 * Parses the JSON of a list of servers in turns of the event loop. A registry decides how large and how deep its
 * answers are, and `JSON.parse` of a whole answer would block the extension host. The items of the list are found by
 * their brackets and parsed one by one; an item that is too large for an entry, or beyond the maximum number of items,
 * is skipped unparsed.
 */
import { runInSlices } from '../base/timeSlice.js';

/** Maximum length of one item, in UTF-16 code units; an entry with its facts is smaller. */
const maxItem = 500_000;
/** Maximum number of items; more than the entries of a registry (see `maxEntries`). */
const maxItems = 100_000;
/** Maximum length of a document that is parsed whole. */
const maxWhole = 200_000;
/** The number of tokens after which a turn can end. */
const tokensPerStep = 500;

/**
 * The value of a document. In `{ "servers": [ … ] }` and `[ … ]`, items that are too large or too many are missing.
 * Rejects with a SyntaxError if the document is not JSON, or is large and is not such a list.
 */
export function parseList(text: string, signal?: AbortSignal): Promise<unknown> {
  return runInSlices(parsed(text), signal);
}

function* parsed(text: string): Generator<undefined, unknown> {
  if (text.length <= maxWhole) return JSON.parse(text) as unknown;
  const list = yield* listIn(text);
  const rest = list ? text.slice(0, list.from) + text.slice(list.to) : text;
  if (rest.length > maxItem) throw new SyntaxError('The document is large and is not a list of servers.');
  const document: unknown = JSON.parse(rest);
  const items = list?.items ?? [];
  return Array.isArray(document) ? items : { ...(document as object), servers: items };
}

interface ParsedList {
  items: unknown[];
  /** The places of the first item and of the closing bracket in the document. */
  from: number;
  to: number;
}

/** The list `servers` of the outer object, or the outer list; undefined if there is none, or it does not end. */
function* listIn(text: string): Generator<undefined, ParsedList | undefined> {
  const items: unknown[] = [];
  let start = -1;
  const add = (from: number, to: number) => {
    if (to - from <= maxItem && items.length < maxItems) items.push(JSON.parse(text.slice(from, to)));
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
