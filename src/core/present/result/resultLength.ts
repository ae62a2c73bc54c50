import { isObject } from '../../base/guards.js';
import type { CallToolResult } from '../../protocol/mcp.js';

/** Maximum length of structured content that is measured, in characters; approximate. */
export const countedLength = 1 << 20;

/** The approximate number of characters of a result; large results are not measured completely. */
export function approximateLength({ content, structuredContent }: CallToolResult): number {
  const blocks = content.reduce(
    (sum, block) =>
      sum +
      (block.type === 'text'
        ? block.text.length
        : block.type === 'resource'
          ? (block.resource.text ?? block.resource.blob ?? '').length
          : block.type === 'resource_link'
            ? block.uri.length
            : block.data.length),
    0,
  );
  return blocks + (structuredContent === undefined ? 0 : lengthOf(structuredContent));
}

/** The approximate length of the JSON text, without creating it. Large values are not measured completely. */
export function lengthOf(value: unknown): number {
  let length = 0;
  const open: Iterator<unknown>[] = [[value].values()];
  while (length <= countedLength) {
    const next = open.at(-1)?.next();
    if (!next) break;
    if (next.done) {
      open.pop();
      continue;
    }
    const inner = next.value;
    length += typeof inner === 'string' ? inner.length + 4 : 8;
    if (Array.isArray(inner)) open.push(inner.values());
    else if (isObject(inner)) {
      for (const key of Object.keys(inner)) length += key.length;
      open.push(Object.values(inner).values());
    }
  }
  return length;
}
