/**
 * The minimum number of edits that change one text into the other. An edit inserts, deletes or replaces a character, or
 * swaps two adjacent ones. The count stops early above `limit`, so a larger result only means "more than `limit`".
 */
export function editDistance(one: string, other: string, limit: number): number {
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    let least = i;
    for (let j = 1; j <= other.length; j++) {
      const cost = one[i - 1] === other[j - 1] ? 0 : 1;
      let value = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + cost);
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1])
        value = Math.min(value, (before[j - 2] ?? 0) + 1);
      next.push(value);
      least = Math.min(least, value);
    }
    if (least > limit) return least;
    before = row;
    row = next;
  }
  return row[other.length] ?? limit + 1;
}

/** Maximum number of characters that may differ. */
const maxDistance = 3;

/** The name that is most similar to a mistyped one; undefined if none is similar. */
export function nearestName(name: string, names: Iterable<string>): string | undefined {
  if (name.length > 100) return undefined;
  const wanted = name.toLowerCase();
  let best: string | undefined;
  let bestDistance = maxDistance + 1;
  for (const candidate of names) {
    if (Math.abs(candidate.length - name.length) >= bestDistance) continue;
    const distance = editDistance(wanted, candidate.toLowerCase(), bestDistance - 1);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}
