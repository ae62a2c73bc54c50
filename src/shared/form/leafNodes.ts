/** The nodes of strings and numbers, with the limits of all their schemas. */
import type { NumberNode, TextNode } from './form.js';
import { textFormatOf } from './hints.js';
import type { Parts } from './schemaParts.js';
import { pick, pickAll } from './schemaParts.js';

/** The node of a string. */
export function makeText(parts: Parts): TextNode {
  const node: TextNode = { kind: 'text' };
  const format = textFormatOf(pick(parts, 'format'));
  const minLength = largest(pickAll(parts, 'minLength'));
  const maxLength = smallest(pickAll(parts, 'maxLength'));
  const pattern = pick(parts, 'pattern');
  const mediaType = pick(parts, 'contentMediaType');
  const encoding = pick(parts, 'contentEncoding');
  if (format !== undefined) node.format = format;
  if (minLength !== undefined) node.minLength = minLength;
  if (maxLength !== undefined) node.maxLength = maxLength;
  if (typeof pattern === 'string') node.pattern = pattern.slice(0, 1_000);
  if (typeof mediaType === 'string') node.mediaType = mediaType.slice(0, 100);
  if (typeof encoding === 'string') node.encoding = encoding.slice(0, 100);
  return node;
}

/** The node of a number. */
export function makeNumber(parts: Parts, isInteger: boolean): NumberNode {
  const steps = pickAll(parts, 'multipleOf').filter(
    (step) => typeof step === 'number' && Number.isFinite(step) && step > 0,
  );
  return { kind: 'number', isInteger, ...boundsOf(parts), ...(steps.length > 0 ? { step: steps[0] as number } : {}) };
}

/**
 * The strictest bounds. In draft-04, `exclusiveMinimum` and `exclusiveMaximum` are Booleans that exclude the bound
 * itself.
 */
export function boundsOf(
  parts: Parts,
): Pick<NumberNode, 'minimum' | 'maximum' | 'isMinimumExclusive' | 'isMaximumExclusive'> {
  const [above, below] = [largest(pickAll(parts, 'exclusiveMinimum')), smallest(pickAll(parts, 'exclusiveMaximum'))];
  const [from, to] = [largest(pickAll(parts, 'minimum')), smallest(pickAll(parts, 'maximum'))];
  const minimum = above !== undefined && (from === undefined || above >= from) ? above : from;
  const maximum = below !== undefined && (to === undefined || below <= to) ? below : to;
  const isMinimumExclusive = minimum !== undefined && (minimum === above || pick(parts, 'exclusiveMinimum') === true);
  const isMaximumExclusive = maximum !== undefined && (maximum === below || pick(parts, 'exclusiveMaximum') === true);
  return {
    ...(minimum === undefined ? {} : { minimum }),
    ...(maximum === undefined ? {} : { maximum }),
    ...(isMinimumExclusive ? { isMinimumExclusive } : {}),
    ...(isMaximumExclusive ? { isMaximumExclusive } : {}),
  };
}

/** The largest number of a list of values; undefined if it has none. */
export function largest(values: readonly unknown[]): number | undefined {
  const numbers = values.filter((value) => typeof value === 'number' && Number.isFinite(value)) as number[];
  return numbers.length > 0 ? Math.max(...numbers) : undefined;
}

/** The smallest number of a list of values; undefined if it has none. */
export function smallest(values: readonly unknown[]): number | undefined {
  const numbers = values.filter((value) => typeof value === 'number' && Number.isFinite(value)) as number[];
  return numbers.length > 0 ? Math.min(...numbers) : undefined;
}
