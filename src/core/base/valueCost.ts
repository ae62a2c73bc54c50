/** What a value takes besides its texts, in bytes; roughly what V8 needs. */
const objectCost = 32;
const slotCost = 16;

/**
 * About how many bytes of memory a JSON value takes, of any depth.
 * @param limit the count ends soon after it has passed this; default: never.
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
