import type { Field } from '../../shared/form/form.js';

/** What stands in an empty control: the default that the server takes, or else an example. */
export function ghostOf({ default: fallback, placeholder }: Field): string {
  if (fallback === undefined || fallback === null || fallback === '') return placeholder ?? '';
  return typeof fallback === 'string' ? fallback : JSON.stringify(fallback);
}
