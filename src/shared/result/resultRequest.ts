import type { JsonPath } from './resultModel.js';
import { isObject } from '../json.js';

/** Which JSON of a result is meant: that of a part, or the structured output. */
export type JsonSource = { part: number } | 'structured';

/**
 * What a page may ask of the host about the result it shows. The page names places in the result only; what is copied,
 * saved or opened the host takes from its own copy (security requirement V5).
 */
export type ResultRequest =
  /** The whole result as a document; `part`: that one alone. */
  | { type: 'openInEditor'; id: string; part?: number }
  | { type: 'openStructured'; id: string }
  | { type: 'openRaw'; id: string; what: 'request' | 'response' }
  | { type: 'saveAs'; id: string; part?: number }
  | { type: 'copy'; id: string; part?: number }
  | { type: 'copyRaw'; id: string; what: 'request' | 'response' }
  | { type: 'copyJson'; id: string; what: 'path' | 'value'; source: JsonSource; path: JsonPath }
  /** An array of objects as CSV in a file, or with tabs for the clipboard. */
  | { type: 'exportTable'; id: string; source: JsonSource; path: JsonPath; to: 'file' | 'clipboard' }
  | { type: 'compareWithPrevious'; id: string }
  /** The messages of a prompt, into the editor that was used last or the chat's input. */
  | { type: 'insertAtCursor'; id: string }
  | { type: 'sendToChat'; id: string }
  /** Shows it in the app of its tool. */
  | { type: 'openApp'; id: string }
  /** Reads the resource that a link names, from the same server. */
  | { type: 'openResource'; id: string; part: number }
  /** A link in text or in a value; the host asks before it leaves the window. */
  | { type: 'openLink'; id: string; href: string };

const maxHrefLength = 8_192;
const maxPathLength = 1_000;

/** Reads a message of a page; undefined for anything that is not exactly a request. */
export function readResultRequest(message: unknown): ResultRequest | undefined {
  if (!isObject(message) || typeof message['id'] !== 'string') return undefined;
  const { type, id, part, what, source, path, href, to } = message;
  const optionalPart = part === undefined ? {} : isIndex(part) ? { part } : undefined;
  switch (type) {
    case 'openInEditor':
    case 'saveAs':
    case 'copy':
      return optionalPart && { type, id, ...optionalPart };
    case 'openRaw':
    case 'copyRaw':
      return what === 'request' || what === 'response' ? { type, id, what } : undefined;
    case 'openStructured':
    case 'compareWithPrevious':
    case 'insertAtCursor':
    case 'sendToChat':
    case 'openApp':
      return { type, id };
    case 'openResource':
      return isIndex(part) ? { type, id, part } : undefined;
    case 'openLink':
      return typeof href === 'string' && href.length <= maxHrefLength ? { type, id, href } : undefined;
    case 'copyJson': {
      const place = readPlace(source, path);
      return place && (what === 'path' || what === 'value') ? { type, id, what, ...place } : undefined;
    }
    case 'exportTable': {
      const place = readPlace(source, path);
      return place && (to === 'file' || to === 'clipboard') ? { type, id, ...place, to } : undefined;
    }
    default:
      return undefined;
  }
}

function readPlace(source: unknown, path: unknown): { source: JsonSource; path: JsonPath } | undefined {
  const read =
    source === 'structured'
      ? source
      : isObject(source) && isIndex(source['part'])
        ? { part: source['part'] }
        : undefined;
  if (read === undefined || !Array.isArray(path) || path.length > maxPathLength) return undefined;
  return path.every((step): step is string | number => typeof step === 'string' || isIndex(step))
    ? { source: read, path }
    : undefined;
}

function isIndex(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
