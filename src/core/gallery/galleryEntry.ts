/** One server as a registry lists it. Every text in it is untrusted, and is shown with `core/base/hostileText`. */
import { isObject, valueAt } from '../base/guards.js';

/** The latest version of a server. */
export interface GalleryEntry {
  /** Unique in a registry. Use it as a key of a Map only: it can be `__proto__/constructor`. */
  name: string;
  version: string;
  title?: string;
  description: string;
  status: 'active' | 'deprecated' | 'deleted';
  /** Why the server is deprecated. */
  statusMessage?: string;
  /** ISO 8601, or absent if the registry gives no valid time. */
  publishedAt?: string;
  updatedAt?: string;
  isLatest?: boolean;
  /** The `server.json` as JSON text, for `define` and for details. */
  json: string;
}

/** Maximum length of the `server.json` of one server, in UTF-16 code units. */
const maxJson = 200_000;
const maxName = 500;
const maxTitle = 300;
const maxDescription = 2_000;

/** The member with the official registry's information about an entry. Registries with the same API use it as well. */
const official = 'io.modelcontextprotocol.registry/official';

/**
 * Reads an entry of a list, `{ server, _meta }`, or a `server.json` alone. Undefined if it has no name, is too large,
 * or is nested so deeply that it cannot be written as JSON.
 */
export function readEntry(value: unknown): GalleryEntry | undefined {
  if (!isObject(value)) return undefined;
  const server = isObject(value['server']) ? value['server'] : value;
  const name = cutText(server['name'], maxName + 1);
  if (name === undefined || name === '' || name.length > maxName) return undefined;
  const json = jsonOf(server);
  if (json === undefined) return undefined;
  const facts = valueAt(value, ['_meta', official]) ?? valueAt(server, ['_meta', official]);
  const meta = isObject(facts) ? facts : {};
  const status = meta['status'] ?? server['status'];
  const title = cutText(server['title'], maxTitle);
  const statusMessage = cutText(meta['statusMessage'], maxDescription);
  const [publishedAt, updatedAt] = [timeOf(meta['publishedAt']), timeOf(meta['updatedAt'])];
  return {
    name,
    version: cutText(server['version'], maxTitle) ?? '',
    ...(title === undefined || title === '' ? {} : { title }),
    description: cutText(server['description'], maxDescription) ?? '',
    status: status === 'deprecated' || status === 'deleted' ? status : 'active',
    ...(statusMessage === undefined || statusMessage === '' ? {} : { statusMessage }),
    ...(publishedAt === undefined ? {} : { publishedAt }),
    ...(updatedAt === undefined ? {} : { updatedAt }),
    ...(typeof meta['isLatest'] === 'boolean' ? { isLatest: meta['isLatest'] } : {}),
    json,
  };
}

/** The name without its publisher, and the publisher: `io.github.a/files` is `files` of `io.github.a`. */
export function nameParts(name: string): { publisher: string; short: string } {
  const slash = name.indexOf('/');
  return slash < 0 ? { publisher: '', short: name } : { publisher: name.slice(0, slash), short: name.slice(slash + 1) };
}

function jsonOf(server: unknown): string | undefined {
  try {
    const json = JSON.stringify(server);
    return json.length > maxJson ? undefined : json;
  } catch {
    // A RangeError: the value is nested too deeply.
    return undefined;
  }
}

function cutText(value: unknown, maxLength: number): string | undefined {
  return typeof value === 'string' ? value.slice(0, maxLength) : undefined;
}

function timeOf(value: unknown): string | undefined {
  const time = typeof value === 'string' && value.length < 60 ? Date.parse(value) : NaN;
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}
