/** Any JSON value. Objects can have any own property name, including `__proto__`. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [name: string]: JsonValue };

/** A JSON object: not null, not an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Appends a step to a JSON Pointer (RFC 6901). */
export function pointerTo(path: string, step: string | number): string {
  return `${path}/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** The name or the index in one step of a JSON Pointer, without the escapes of `pointerTo`. */
export function nameOfStep(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}
