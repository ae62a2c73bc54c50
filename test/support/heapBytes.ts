/** The memory that a test measures. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** The memory of the JavaScript heap in use after garbage collections, in bytes. */
export async function heapBytes(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  // Objects of finished callbacks are released only after the callbacks.
  for (let count = 0; count < 3; count++) {
    await new Promise((resolve) => setImmediate(resolve));
    collect();
  }
  return process.memoryUsage().heapUsed;
}
