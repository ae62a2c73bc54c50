/** The order of versions in registries: numbers with dots, and pre-releases before their release (semver.org, 11). */

const maxLength = 100;

/**
 * Whether a version is newer than another. False if one of them does not have this format, because a guess could offer
 * an older version as an update.
 */
export function isNewer(version: string, than: string): boolean {
  const [one, other] = [partsOf(version), partsOf(than)];
  if (!one || !other) return false;
  for (let at = 0; at < Math.max(one.numbers.length, other.numbers.length); at++) {
    const difference = (one.numbers[at] ?? 0) - (other.numbers[at] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  if (one.rest === undefined || other.rest === undefined) return one.rest === undefined && other.rest !== undefined;
  return isLater(one.rest, other.rest);
}

interface Parts {
  numbers: readonly number[];
  /** The identifiers of a pre-release; undefined for a release. */
  rest: readonly string[] | undefined;
}

function partsOf(version: string): Parts | undefined {
  if (version.length > maxLength) return undefined;
  const [, numbers = '', rest] = /^v?(\d{1,15}(?:\.\d{1,15}){0,5})(?:-([\w.-]+))?(?:\+[\w.-]+)?$/.exec(version) ?? [];
  return numbers === ''
    ? undefined
    : { numbers: numbers.split('.').map(Number), rest: rest === undefined ? undefined : rest.split('.') };
}

function isLater(one: readonly string[], other: readonly string[]): boolean {
  for (const [at, word] of one.entries()) {
    const against = other[at];
    if (against === undefined) return true;
    if (word === against) continue;
    const [number, second] = [word, against].map((text) => (/^\d{1,15}$/.test(text) ? Number(text) : undefined));
    if (number !== undefined && second !== undefined) return number > second;
    if (number !== undefined || second !== undefined) return second !== undefined;
    return word > against;
  }
  return false;
}
