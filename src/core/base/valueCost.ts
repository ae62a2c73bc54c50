/**
 * Approximate memory that V8 needs, bytes: for an object or array itself, and for each value in it. Texts are added
 * separately.
 */
const objectCost = 32;
const slotCost = 16;
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
    cost += slotCost + objectCost;
    if (Array.isArray(one)) {
      for (const item of one as unknown[]) {
        if (cost > limit) return cost;
        if (isContainer(item)) waiting.push(item);
        else cost += plainCost(item);
      }
    } else {
      // The prototype of parsed JSON has no enumerable members.
      for (const name in one) {
        if (cost > limit) return cost;
        const item = (one as Record<string, unknown>)[name];
        cost += name.length;
        if (isContainer(item)) waiting.push(item);
        else cost += plainCost(item);
      }
    }
  }
  return cost;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function plainCost(value: unknown): number {
  if (typeof value !== 'string') return slotCost;
  return slotCost + (value.length <= shortText ? value.length : Buffer.byteLength(value));
}
