/**
 * Converts the words of texts to a name: lower case, with hyphens between the words. Empty if the text has no letter or
 * digit.
 */
export function slugOf(...parts: readonly string[]): string {
  return parts
    .map((part) =>
      part
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, '-')
        .replace(/^-+|-+$/g, ''),
    )
    .filter((part) => part !== '')
    .join('-');
}

/** The name or, if it is already used, the name with a number: `name-2`, `name-3`. */
export function freeName(base: string, taken: ReadonlySet<string>): string {
  if (!taken.has(base)) return base;
  for (let number = 2; ; number++) if (!taken.has(`${base}-${number}`)) return `${base}-${number}`;
}
