import { tooDeepText } from '../base/jsonText.js';
import { maskText } from '../base/masking.js';
import { emptyObjectFor, setOwn } from '../base/objectCopy.js';

/** The error for a value that has more characters than its snapshot may have. */
export class TooLargeError extends Error {}

export interface StoredFormOptions {
  /** The members of objects and the indexes of lists that are left out. */
  removed: ReadonlyMap<object, ReadonlySet<string | number>>;
  /** Texts that are masked, in values and in names. */
  secrets: readonly string[];
  /** Maximum length of the JSON, in characters. */
  maxLength: number;
}

/** Maximum depth; deeper parts are omitted. */
const maxDepth = 256;

interface Part {
  from: object;
  to: unknown[] | Record<string, unknown>;
  depth: number;
}

/**
 * The form of a JSON value in which it is stored as a snapshot: names sorted, texts masked, parts left out. In steps,
 * since results of servers can be large (see `runInSlices`).
 * @throws TooLargeError as soon as it is known that the JSON is longer than `maxLength`.
 */
export function* storedForm(
  value: unknown,
  { removed, secrets, maxLength }: StoredFormOptions,
): Generator<void, unknown> {
  let length = 0;
  const waiting: Part[] = [];
  const count = (characters: number) => {
    length += characters;
    if (length > maxLength) throw new TooLargeError();
  };
  const formOf = (one: unknown, depth: number): unknown => {
    if (typeof one === 'string') {
      count(one.length + 2);
      return maskText(one, secrets);
    }
    count(1);
    if (typeof one !== 'object' || one === null) return one;
    if (depth >= maxDepth) return tooDeepText;
    const to = Array.isArray(one) ? [] : emptyObjectFor<unknown>(Object.keys(one));
    waiting.push({ from: one, to, depth: depth + 1 });
    return to;
  };
  const form = formOf(value, 0);
  for (let part = waiting.pop(); part; part = waiting.pop()) {
    const { from, to, depth } = part;
    const left = removed.get(from);
    if (Array.isArray(from)) {
      for (const [index, item] of (from as unknown[]).entries()) {
        yield;
        if (left?.has(index) !== true) (to as unknown[]).push(formOf(item, depth));
      }
      continue;
    }
    const names = Object.keys(from).filter((name) => left?.has(name) !== true);
    for (const name of names) count(name.length + 3);
    for (const name of names.sort()) {
      yield;
      setOwn(to, maskText(name, secrets), formOf((from as Record<string, unknown>)[name], depth));
    }
  }
  return form;
}
