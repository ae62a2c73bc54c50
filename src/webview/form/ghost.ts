import type { Field } from '../../shared/form/form.js';

/** The placeholder of an empty control: the default of the server, or an example. */
export function ghostOf({ default: fallback, placeholder }: Field): string {
  if (fallback === undefined || fallback === null || fallback === '') return placeholder ?? '';
  return typeof fallback === 'string' ? fallback : JSON.stringify(fallback);
}
