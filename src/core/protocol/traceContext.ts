/** The trace context in the `_meta` of a request (W3C Trace Context). Undefined if it is absent or invalid. */
export function traceparentOf(meta: unknown): string | undefined {
  const value = (meta as { traceparent?: unknown } | undefined | null)?.traceparent;
  return typeof value === 'string' && /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/.test(value) ? value : undefined;
}
