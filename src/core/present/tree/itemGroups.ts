/** A group of items with its label: items whose names have the same prefix, or consecutive items of a list. */
interface ItemGroup<T> {
  label: string;
  items: T[];
}

/** A list as a tree shows it: groups and single items. */
export type GroupedItem<T> = { item: T } | { group: ItemGroup<T> };

/** Maximum number of lines on one level; more would be slow to draw and to scan. */
const maxOnOneLevel = 200;
const rangeSize = 100;
/** Minimum number of names with the same prefix that form a group. For two names, the prefix may be a coincidence. */
const minGroup = 3;

/**
 * Groups long lists: by the prefix of their names if they have prefixes (`github_…`), otherwise by position (`first …
 * last`). Short lists are not grouped. No level has more than about 200 lines.
 */
export function groupItems<T>(items: readonly T[], nameOf: (item: T) => string): GroupedItem<T>[] {
  if (items.length <= maxOnOneLevel) return items.map((item) => ({ item }));
  return byPrefix(items, nameOf) ?? byPosition(items, nameOf);
}

function byPrefix<T>(items: readonly T[], nameOf: (item: T) => string): GroupedItem<T>[] | undefined {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const prefix = prefixOf(nameOf(item));
    const group = groups.get(prefix);
    if (group) group.push(item);
    else groups.set(prefix, [item]);
  }
  const parts: GroupedItem<T>[] = [];
  const single = new Set<T>();
  for (const [prefix, group] of groups) {
    if (prefix === '' || group.length < minGroup) for (const item of group) single.add(item);
    else parts.push({ group: { label: prefix, items: group } });
  }
  // Groups come first, as folders do. Single items keep the order of the list.
  const result = [...parts, ...items.filter((item) => single.has(item)).map((item) => ({ item }))];
  // The prefixes are not used if all items have the same one, or if more than 200 lines would remain.
  return groups.size > 1 && result.length <= maxOnOneLevel ? result : undefined;
}

function byPosition<T>(items: readonly T[], nameOf: (item: T) => string): GroupedItem<T>[] {
  // The size grows with the list, so that the list of ranges is short as well.
  const size = Math.max(rangeSize, Math.ceil(items.length / maxOnOneLevel));
  const result: GroupedItem<T>[] = [];
  for (let start = 0; start < items.length; start += size) {
    const part = items.slice(start, start + size);
    const [first, last] = [part[0], part.at(-1)];
    if (first === undefined || last === undefined) continue;
    result.push({ group: { label: `${nameOf(first)} … ${nameOf(last)}`, items: part } });
  }
  return result;
}

/**
 * The prefix of a name: `github` for `github_create_issue`, `github.createIssue`, `github-x` and `githubCreate`; empty
 * for a name without a prefix.
 */
export function prefixOf(name: string): string {
  // A name may have any length, so only its beginning is read.
  return /^[\p{L}\p{N}]{2,}?(?=[_\-./:]|(?<=[\p{Ll}\p{N}])\p{Lu})/u.exec(name.slice(0, 100))?.[0] ?? '';
}
