/** A documented JSON document: the keys of an object with their documents, of an array those of its items. */
export interface Shape {
  keys: ReadonlyMap<string, Shape>;
}

const anything: Shape = { keys: new Map() };

/**
 * Reads a shape as docs/command-line.md writes it: JSON, in which a key without a value may have any, and in which an
 * array has the shape of each item. Throws if the text is something else.
 */
export function parseShape(text: string): Shape {
  const tokens = text.match(/"[^"]*"|[{}[\]:,]|\w+/g) ?? [];
  let at = 0;
  const next = (expected?: string): string => {
    const token = tokens[at++] ?? '';
    if (expected !== undefined && token !== expected) throw new Error(`${expected} expected, not ${token}: ${text}`);
    return token;
  };
  const value = (): Shape => {
    const token = next();
    if (token === '[') {
      const item = value();
      next(']');
      return item;
    }
    if (token !== '{') return anything;
    const keys = new Map<string, Shape>();
    do {
      const key = next().slice(1, -1);
      const isShaped = tokens[at] === ':';
      if (isShaped) at++;
      keys.set(key, isShaped ? value() : anything);
    } while (next() === ',');
    return { keys };
  };
  const shape = value();
  if (at !== tokens.length) throw new Error(`The shape has more than one document: ${text}`);
  return shape;
}

/** The places at which a document has keys that are not documented, or lacks documented ones. */
export function shapeProblems(value: unknown, { keys }: Shape, optional: ReadonlySet<string>, place = '$'): string[] {
  if (keys.size === 0) return [];
  if (Array.isArray(value))
    return value.length === 0
      ? [`${place} is empty, so its items were not compared`]
      : value.flatMap((item, index) => shapeProblems(item, { keys }, optional, `${place}[${index}]`));
  if (typeof value !== 'object' || value === null) return [`${place} is not an object`];
  const more = Object.keys(value).filter((key) => !keys.has(key));
  const less = [...keys.keys()].filter((key) => !Object.hasOwn(value, key) && !optional.has(key));
  return [
    ...more.map((key) => `${place}.${key} is not documented`),
    ...less.map((key) => `${place}.${key} is missing`),
    ...Object.entries(value).flatMap(([key, part]) =>
      shapeProblems(part, keys.get(key) ?? anything, optional, `${place}.${key}`),
    ),
  ];
}
