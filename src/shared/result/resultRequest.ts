import type { JsonPath } from './resultModel.js';
import { isObject } from '../json.js';

/** Selects the JSON of a part, or the structured content. */
export type JsonSource = { part: number } | 'structured';

/**
 * The requests of a page about the shown result. They contain only the ID of the run and positions in the result. The
 * extension takes all content from its own copy (security requirement V5).
 */
export type ResultRequest =
  /** Opens the whole result as a document, or only `part`. */
  | { type: 'openInEditor'; id: string; part?: number }
  | { type: 'openStructured'; id: string }
  | { type: 'openRaw'; id: string; what: 'request' | 'response' }
  | { type: 'saveAs'; id: string; part?: number }
  | { type: 'copy'; id: string; part?: number }
  | { type: 'copyRaw'; id: string; what: 'request' | 'response' }
  | { type: 'copyJson'; id: string; what: 'path' | 'value'; source: JsonSource; path: JsonPath }
  /** Exports an array of objects: as CSV to a file, or tab-separated to the clipboard. */
  | { type: 'exportTable'; id: string; source: JsonSource; path: JsonPath; to: 'file' | 'clipboard' }
  | { type: 'compareWithPrevious'; id: string }
  /** Inserts the messages of a prompt into the last used editor or the chat input. */
  | { type: 'insertAtCursor'; id: string }
  | { type: 'sendToChat'; id: string }
  /** Shows the result in the app of its tool. */
  | { type: 'openApp'; id: string }
  /** Reads a linked resource from the same server. */
  | { type: 'openResource'; id: string; part: number }
  /** Opens the request from the server that the running call waits for. */
  | { type: 'answerRequest'; id: string; request: string }
  /** Shows the log of the server. */
  | { type: 'showLog'; id: string }
  /** A link in a text or a value. The extension asks the user before it opens a web address. */
  | { type: 'openLink'; id: string; href: string };

const maxHrefLength = 8_192;
const maxPathLength = 1_000;

/** Reads a message of a page. Undefined if it is not exactly a valid request. */
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
    case 'showLog':
      return { type, id };
    case 'answerRequest':
      return typeof message['request'] === 'string' ? { type, id, request: message['request'] } : undefined;
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
