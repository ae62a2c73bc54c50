/** Secrets out of what is kept: wherever one of the values stands, dots stand instead. */

const dots = '•••';

export function maskText(text: string, secrets: readonly string[]): string {
  let masked = text;
  for (const secret of longestFirst(secrets)) masked = masked.replaceAll(secret, dots);
  return masked;
}

/** A JSON value with every text in it masked, names included. */
export function maskValue(value: unknown, secrets: readonly string[]): unknown {
  if (secrets.length === 0) return value;
  if (typeof value === 'string') return maskText(value, secrets);
  if (Array.isArray(value)) return value.map((item) => maskValue(item, secrets));
  if (typeof value !== 'object' || value === null) return value;
  // fromEntries, because a name may be `__proto__`.
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [maskText(name, secrets), maskValue(inner, secrets)]));
}

/** A text that comes in pieces; a secret that two pieces share is found as well. */
export function* maskPieces(pieces: Iterable<string>, secrets: readonly string[]): Generator<string> {
  const overlap = Math.max(0, ...secrets.map(({ length }) => length)) - 1;
  if (overlap < 0) {
    yield* pieces;
    return;
  }
  let waiting = '';
  for (const piece of pieces) {
    waiting = maskText(waiting + piece, secrets);
    const ready = waiting.length - overlap;
    if (ready <= 0) continue;
    yield waiting.slice(0, ready);
    waiting = waiting.slice(ready);
  }
  yield waiting;
}

/** So that a secret which holds another is replaced as a whole. */
function longestFirst(secrets: readonly string[]): string[] {
  return secrets.filter((secret) => secret !== '').sort((a, b) => b.length - a.length);
}
