/**
 * JSONPath (RFC 9535). Paths come from the files of a repository, and values from servers, so a query that can take
 * long is limited in time and in the number of values.
 */
import { t } from '@vscode/l10n';
import type { JSONPathNode, JSONPathQuery, JSONValue } from 'json-p3';
import { JSONPathEnvironment, JSONPathError, jsonpath } from 'json-p3';
import { UserError } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import { TimeLimit, TimeLimitError } from '../schema/timeLimit.js';

/** Maximum length of a path, in characters. It also limits the depth of its filters. */
const maxPath = 1_000;
/** Maximum number of values that a path selects. */
const maxFound = 100_000;
/** Time limit of a query, in milliseconds. */
const queryMs = 250;

const environment = new JSONPathEnvironment({ maxRecursionDepth: 500 });
// A query that is stopped in the middle must not leave a cache behind.
environment.functionRegister.set('match', new jsonpath.functions.Match({ cacheSize: 0 }));
environment.functionRegister.set('search', new jsonpath.functions.Search({ cacheSize: 0 }));
const limit = new TimeLimit();

/** A name with a hyphen, which RFC 9535 allows in brackets only. Many files have such names without brackets. */
const hyphenName = /\.([\p{L}_][\p{L}\p{N}_]*-[\p{L}\p{N}_-]*)(?=[.[]|$)/gu;

function compiled(path: string): JSONPathQuery | undefined {
  if (path.length > maxPath) return undefined;
  const forms = /["'?]/.test(path) ? [path] : [path, path.replace(hyphenName, "['$1']")];
  for (const form of forms) {
    try {
      return environment.compile(form);
    } catch {
      // The path is not valid in this form.
    }
  }
  return undefined;
}

/** Whether a path is valid. @param isSingular true if it must lead to one value at most: names and indexes only. */
export function isPath(path: string, isSingular: boolean): boolean {
  const query = compiled(path);
  return query !== undefined && (!isSingular || query.singularQuery());
}

/**
 * The value at a path; undefined if there is none. Of several values, the first one. Follows own properties only.
 * @throws UserError if the query takes too long.
 */
export function valueAtPath(value: unknown, path: string): unknown {
  return nodesAt(value, path, 1)[0]?.value;
}

/**
 * The selection of a path: one value if the path can select at most one, otherwise the list of all values.
 * @throws UserError if the query takes too long, or selects more than 100,000 values.
 */
export function selectedBy(value: unknown, path: string): unknown {
  const nodes = nodesAt(value, path);
  return isPath(path, true) ? nodes[0]?.value : nodes.map((node) => node.value);
}

/**
 * The places of the values that paths select: the names or indexes in each object or list.
 * @throws UserError if a query takes too long, or selects more than 100,000 values.
 */
export function placesAt(value: unknown, paths: readonly string[]): ReadonlyMap<object, ReadonlySet<string | number>> {
  const places = new Map<object, Set<string | number>>();
  for (const path of paths) {
    for (const { location } of nodesAt(value, path)) {
      const parent = location.slice(0, -1).reduce((at, key) => (at as Record<string | number, unknown>)[key], value);
      const key = location.at(-1);
      if (typeof parent !== 'object' || parent === null || key === undefined) continue;
      const keys = places.get(parent);
      if (keys) keys.add(key);
      else places.set(parent, new Set([key]));
    }
  }
  return places;
}

function nodesAt(value: unknown, path: string, most = maxFound): JSONPathNode[] {
  const query = compiled(path);
  if (!query || value === undefined) return [];
  const select = (): JSONPathNode[] => {
    const nodes: JSONPathNode[] = [];
    for (const node of query.lazyQuery(value as JSONValue)) {
      if (nodes.length === maxFound) throw tooMuch(path);
      nodes.push(node);
      if (nodes.length === most) break;
    }
    return nodes;
  };
  // Names and indexes lead to one value, in a time that does not depend on the value.
  if (query.singularQuery()) return select();
  try {
    return limit.run(queryMs, select);
  } catch (error) {
    // A RangeError: the value is nested too deeply for the stack.
    const isTooMuch = [TimeLimitError, RangeError, JSONPathError].some((kind) => error instanceof kind);
    if (isTooMuch) throw tooMuch(path);
    throw error;
  }
}

function tooMuch(path: string): UserError {
  return new UserError(
    t('Reading the path {0} takes too long, or the path selects too many values.', visibleLine(path)),
  );
}
