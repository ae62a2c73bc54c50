import { costOfLiterals } from './exactNumbers.js';

/**
 * Approximate memory that V8 needs, bytes: for an object or array itself, and for each value in it. Texts are added
 * separately.
 */
const objectCost = 40;
const slotCost = 16;
/**
 * What a member of an object needs beside its value, bytes: V8 keeps its name if no other object has the same names.
 */
const memberCost = 32;
/**
 * If the name of a member is an index below this number, V8 allocates an array with a place for each smaller index, so
 * a member "34" needs 35 places. For larger indexes, V8 uses a hash table, which needs the memory of `hashTablePlaces`.
 */
const maxPlaces = 1_024;
const hashTablePlaces = 20;
/** Strings of up to this many characters are estimated at one byte per character, because measuring takes longer. */
const shortText = 64;

/**
 * The approximate memory of a JSON value of any depth, bytes.
 * @param limit stops counting soon after this value; default: never.
 */
export function valueCost(value: unknown, limit = Number.POSITIVE_INFINITY): number {
  if (!isContainer(value)) return plainCost(value);
  let cost = 0;
  const waiting: object[] = [value];
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    cost += slotCost + objectCost + costOfLiterals(one);
    if (Array.isArray(one)) {
      for (const item of one as unknown[]) {
        if (cost > limit) return cost;
        if (isContainer(item)) waiting.push(item);
        else cost += plainCost(item);
      }
    } else {
      // The prototype of parsed JSON has no enumerable members.
      let places = 0;
      for (const name in one) {
        if (cost > limit) return cost;
        const first = name.charCodeAt(0);
        // Comparing the first character is enough for most names.
        if (first <= 57 && first >= 48 && name.length <= 10) places = Math.max(places, placesOf(name));
        const item = (one as Record<string, unknown>)[name];
        cost += memberCost + name.length;
        if (isContainer(item)) waiting.push(item);
        else cost += plainCost(item);
      }
      cost += 8 * places;
    }
  }
  return cost;
}

/** The number of places that V8 needs for a member whose name is an index. */
function placesOf(name: string): number {
  const index = Number(name);
  if (!Number.isInteger(index) || String(index) !== name) return 0;
  return index < maxPlaces ? index + 1 : hashTablePlaces;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function plainCost(value: unknown): number {
  if (typeof value !== 'string') return slotCost;
  return slotCost + (value.length <= shortText ? value.length : Buffer.byteLength(value));
}
