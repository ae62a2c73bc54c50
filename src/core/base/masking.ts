/** Masks secrets in stored data: each occurrence of a secret, in any encoding, is replaced by dots. */
import { tooDeepText } from './jsonText.js';
import { objectOf } from './objectCopy.js';
import { finderOf } from './secretFinder.js';

/** Maximum depth; deeper parts of a value are replaced by a note. */
const maxDepth = 256;

/** The text with dots in place of each occurrence of a secret. */
export function maskText(text: string, secrets: readonly string[]): string {
  return secrets.length === 0 ? text : finderOf(secrets).mask(text);
}

/**
 * A copy of a JSON value in which all texts are masked, including property names. Parts nested deeper than 256 levels
 * are replaced by a note.
 */
export function maskValue(value: unknown, secrets: readonly string[], depth = 0): unknown {
  if (typeof value === 'string') return maskText(value, secrets);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= maxDepth) return tooDeepText;
  if (Array.isArray(value)) return value.map((item) => maskValue(item, secrets, depth + 1));
  return objectOf(
    Object.entries(value).map(([name, inner]) => [maskText(name, secrets), maskValue(inner, secrets, depth + 1)]),
  );
}

/** Masks a text that arrives in pieces; a secret that spans two pieces is also found. */
export function* maskPieces(pieces: Iterable<string>, secrets: readonly string[]): Generator<string> {
  const finder = finderOf(secrets);
  if (finder.isEmpty) {
    yield* pieces;
    return;
  }
  const overlap = finder.longest - 1;
  let waiting = '';
  for (const piece of pieces) {
    waiting += piece;
    const ready = waiting.length - overlap;
    if (ready <= 0) continue;
    const { masked, end } = finder.maskUntil(waiting, ready);
    yield masked;
    waiting = waiting.slice(end);
  }
  yield finder.mask(waiting);
}
