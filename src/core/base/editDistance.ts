/**
 * The minimum number of edits that change one text into the other. An edit inserts, deletes or replaces a character, or
 * swaps two adjacent ones. The count stops early above `limit`, so a larger result only means "more than `limit`". The
 * time grows with the length of the shorter text times `limit`.
 */
export function editDistance(one: string, other: string, limit: number): number {
  // The common beginning and end of both texts do not change the distance.
  let start = 0;
  let [oneEnd, otherEnd] = [one.length, other.length];
  while (start < oneEnd && start < otherEnd && one.charCodeAt(start) === other.charCodeAt(start)) start++;
  while (oneEnd > start && otherEnd > start && one.charCodeAt(oneEnd - 1) === other.charCodeAt(otherEnd - 1)) {
    oneEnd--;
    otherEnd--;
  }
  return distanceInBand(one.slice(start, oneEnd), other.slice(start, otherEnd), limit);
}

/** Like `editDistance`. Computes only the cells of the matrix that are at most `limit` away from its diagonal. */
function distanceInBand(one: string, other: string, limit: number): number {
  const tooMany = limit + 1;
  if (Math.abs(one.length - other.length) > limit) return tooMany;
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => Math.min(index, tooMany));
  let row = new Array<number>(other.length + 1).fill(tooMany);
  for (let i = 1; i <= one.length; i++) {
    const from = Math.max(1, i - limit);
    const to = Math.min(other.length, i + limit);
    // The cells beside the band are more than `limit` edits away.
    row[from - 1] = from === 1 ? Math.min(i, tooMany) : tooMany;
    let least = row[from - 1] ?? tooMany;
    for (let j = from; j <= to; j++) {
      const cost = one.charCodeAt(i - 1) === other.charCodeAt(j - 1) ? 0 : 1;
      let value = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + cost);
      if (
        i > 1 &&
        j > 1 &&
        one.charCodeAt(i - 1) === other.charCodeAt(j - 2) &&
        one.charCodeAt(i - 2) === other.charCodeAt(j - 1)
      )
        value = Math.min(value, (before[j - 2] ?? 0) + 1);
      row[j] = value;
      least = Math.min(least, value);
    }
    if (to < other.length) row[to + 1] = tooMany;
    if (least > limit) return tooMany;
    [before, last, row] = [last, row, before.length === 0 ? new Array<number>(other.length + 1).fill(tooMany) : before];
  }
  return Math.min(last[other.length] ?? tooMany, tooMany);
}

/** Maximum number of characters that may differ. */
const maxDistance = 3;

/** Maximum number of names that are compared, so that one request takes less than 5 ms. */
const maxCompared = 500;

/**
 * The name that is most similar to a mistyped one; undefined if none is similar. Compares names of about the same
 * length, and only the first 500 of them.
 * @param isOffered whether the name may be the result; default: every name. Called only for similar names.
 */
export function nearestName(
  name: string,
  names: Iterable<string>,
  isOffered: (name: string) => boolean = () => true,
): string | undefined {
  if (name.length > 100) return undefined;
  const wanted = name.toLowerCase();
  let best: string | undefined;
  let bestDistance = maxDistance + 1;
  let compared = 0;
  for (const candidate of names) {
    if (Math.abs(candidate.length - name.length) >= bestDistance) continue;
    if (++compared > maxCompared) break;
    const distance = editDistance(wanted, candidate.toLowerCase(), bestDistance - 1);
    if (distance < bestDistance && isOffered(candidate)) [best, bestDistance] = [candidate, distance];
  }
  return best;
}
