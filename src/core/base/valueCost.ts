/** Approximate memory that V8 needs for a value without its texts, bytes. */
const objectCost = 32;
const slotCost = 16;

/**
 * The approximate memory of a JSON value of any depth, bytes.
 * @param limit stops counting soon after this value; default: never.
 */
export function valueCost(value: unknown, limit = Number.POSITIVE_INFINITY): number {
  let cost = 0;
  const waiting: unknown[] = [value];
  while (waiting.length > 0 && cost <= limit) {
    const one = waiting.pop();
    cost += slotCost;
    if (typeof one === 'string') cost += Buffer.byteLength(one);
    else if (Array.isArray(one)) {
      cost += objectCost;
      for (const item of one) waiting.push(item);
    } else if (typeof one === 'object' && one !== null) {
      cost += objectCost;
      for (const name of Object.keys(one)) {
        cost += name.length;
        waiting.push((one as Record<string, unknown>)[name]);
      }
    }
  }
  return cost;
}
