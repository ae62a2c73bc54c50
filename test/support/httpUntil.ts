/** Waits until `holds` returns true, checking once per turn of the event loop; fails after `limitMs`. */
export async function until(holds: () => boolean, limitMs = 60_000): Promise<void> {
  const end = performance.now() + limitMs;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`Waited in vain for: ${holds.toString()}`);
    await new Promise<void>((resolve) => setTimeout(resolve, 1));
  }
}
