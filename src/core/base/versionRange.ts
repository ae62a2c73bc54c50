/**
 * The version ranges of packages: those of npm (`engines`: comparators, `^`, `~`, `x`, hyphens, `||`), and those of
 * Python (`requires-python`: comparators with commas, `==`, `!=`, `~=`).
 */

export type Version = readonly [major: number, minor: number, patch: number];

const maxLength = 200;

/** Whether a range allows a version; undefined if the range cannot be parsed. Pre-release parts are ignored. */
export function rangeAllows(range: string, version: Version): boolean | undefined {
  if (range.length > maxLength) return undefined;
  const results = range.split('||').map((part) => allowsAll(part.trim(), version));
  if (results.includes(true)) return true;
  return results.includes(undefined) ? undefined : false;
}

function allowsAll(part: string, version: Version): boolean | undefined {
  const [, from, to] = /^(\S+) +- +(\S+)$/.exec(part) ?? [];
  const comparators =
    from !== undefined && to !== undefined
      ? [`>=${from}`, `<=${to}`]
      : part
          .replace(/([<>=~^!]) +/g, '$1')
          .split(/[ ,]+/)
          .filter((text) => text !== '');
  const results = comparators.map((comparator) => allows(comparator, version));
  if (results.includes(undefined)) return undefined;
  return !results.includes(false);
}

function allows(comparator: string, version: Version): boolean | undefined {
  const [, operator = '', text] = /^(>=|<=|>|<|={1,3}|!=|\^|~=|~>?)?v?([\dx*][\w.*+-]*)$/i.exec(comparator) ?? [];
  if (text === undefined) return undefined;
  const numbers: number[] = [];
  for (const piece of text.replace(/[-+].*$/, '').split('.')) {
    // All parts after an `x` are treated as `x`.
    if (/^[x*]$/i.test(piece)) break;
    if (!/^\d{1,9}$/.test(piece)) return undefined;
    numbers.push(Number(piece));
  }
  if (numbers.length > 3) return undefined;
  const [major = 0, minor = 0, patch = 0] = numbers;
  const low: Version = [major, minor, patch];
  /** The lowest version above all versions that begin with the given numbers. */
  const next: Version =
    numbers.length === 0
      ? [Infinity, 0, 0]
      : numbers.length === 1
        ? [major + 1, 0, 0]
        : numbers.length === 2
          ? [major, minor + 1, 0]
          : [major, minor, patch + 1];
  switch (operator) {
    case '>=':
      return compare(version, low) >= 0;
    case '<':
      return compare(version, low) < 0;
    case '>':
      return compare(version, next) >= 0;
    case '<=':
      return compare(version, next) < 0;
    case '^':
      return (
        compare(version, low) >= 0 &&
        compare(
          version,
          numbers.length === 0
            ? next
            : major > 0 || numbers.length === 1
              ? [major + 1, 0, 0]
              : minor > 0 || numbers.length === 2
                ? [0, minor + 1, 0]
                : [0, 0, patch + 1],
        ) < 0
      );
    // At least this version, and below the next value of the second-to-last part.
    case '~=':
      return (
        numbers.length > 1 &&
        compare(version, low) >= 0 &&
        compare(version, numbers.length === 2 ? [major + 1, 0, 0] : [major, minor + 1, 0]) < 0
      );
    case '!=':
      return compare(version, low) < 0 || compare(version, next) >= 0;
    case '~':
    case '~>':
      return compare(version, low) >= 0 && compare(version, numbers.length <= 1 ? next : [major, minor + 1, 0]) < 0;
    default:
      return compare(version, low) >= 0 && compare(version, next) < 0;
  }
}

function compare(one: Version, other: Version): number {
  return one[0] - other[0] || one[1] - other[1] || one[2] - other[2];
}
