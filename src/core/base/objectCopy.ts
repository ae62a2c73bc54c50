/**
 * Objects with the names of untrusted data. V8 keeps the members whose names are indexes in an array with a place for
 * each smaller index, and the first index below 1,024 of a new object allocates up to 1,550 places: a copy of
 * `{"1023":1}` needs 12,500 bytes. `JSON.parse` uses a hash table of 200 bytes. The functions here do the same.
 */

/** An index for which V8 always uses a hash table, because an array would have too many places. */
const hashTableIndex = 5_000;

/**
 * An object of these members. Use it instead of `Object.fromEntries` if the names are untrusted. `__proto__` becomes an
 * own member.
 */
export function objectOf<T>(members: readonly (readonly [string, T])[]): Record<string, T> {
  if (!members.some(isIndexed)) return Object.fromEntries(members);
  const object: Record<string, T> = emptyHashTable();
  for (const [name, value] of members) setOwn(object, name, value);
  return object;
}

/** A copy of untrusted data with changes. Use it instead of spread syntax for the items of a list. */
export function copyWith<T extends object, C extends object>(object: T, changes: C): T & C {
  // The prototype of parsed JSON has no enumerable members.
  for (const name in object)
    if (isIndex(name)) return Object.assign(objectOf(Object.entries(object)) as object as T, changes);
  return { ...object, ...changes };
}

/** An empty object to which members with these names are added. */
export function emptyObjectFor<T>(names: readonly string[]): Record<string, T> {
  return names.some(isIndex) ? emptyHashTable() : {};
}

/** An empty object to which members with unknown names are added. */
export function emptyHashTable<T>(): Record<string, T> {
  const object: Record<string, T> = { [hashTableIndex]: undefined as T };
  delete object[hashTableIndex];
  return object;
}

/** Sets a member, even one with the name `__proto__`. */
export function setOwn(object: object, name: string, value: unknown): void {
  if (name !== '__proto__') (object as Record<string, unknown>)[name] = value;
  else Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}

function isIndexed(member: readonly [string, unknown]): boolean {
  return isIndex(member[0]);
}

/**
 * Whether the name may be an index from 10 to 9,999. Smaller ones need few places, and for larger ones, V8 uses a hash
 * table.
 */
function isIndex(name: string): boolean {
  const first = name.charCodeAt(0);
  return first <= 57 && first >= 48 && name.length >= 2 && name.length <= 4;
}
