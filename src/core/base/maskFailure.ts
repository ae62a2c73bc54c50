/** Removes secrets from a failure before it is shown, logged or stored. */
import { HostError } from './hostError.js';
import { tooLargeText } from './jsonText.js';
import { maskValue } from './masking.js';
import { finderOf } from './secretFinder.js';
import { valueCost } from './valueCost.js';

/** Memory limit of the data of a server's error, bytes (see `valueCost`). Larger data is replaced by a note. */
const maxDataCost = 1024 * 1024;
/** Maximum number of chained causes that are masked; deeper ones are removed. */
const maxCauses = 8;

/**
 * Masks `secrets` in the message, stack, hint and data of a failure, and in the errors that caused it. The errors are
 * changed in place. `data.server` is kept, because it identifies the server.
 */
export function maskFailure(error: unknown, secrets: readonly string[]): void {
  if (finderOf(secrets).isEmpty) return;
  let current = error;
  for (let depth = 0; depth < maxCauses && current instanceof Error; depth++) {
    maskOne(current, secrets);
    if (depth === maxCauses - 1) delete current.cause;
    current = current.cause;
  }
}

function maskOne(error: Error, secrets: readonly string[]): void {
  const finder = finderOf(secrets);
  error.message = finder.mask(error.message);
  if (error.stack !== undefined) error.stack = finder.mask(error.stack);
  const parts = error as { data?: unknown; hint?: string };
  if (parts.hint !== undefined) parts.hint = finder.mask(parts.hint);
  if (error instanceof HostError) {
    // The values in `data` may be shared with the code that threw the error, so they are replaced, not modified.
    const { server, ...data } = error.data;
    Object.assign(error.data, maskValue(data, secrets), server === undefined ? {} : { server });
  } else if (parts.data !== undefined)
    parts.data = valueCost(parts.data, maxDataCost) > maxDataCost ? tooLargeText : maskValue(parts.data, secrets);
}
