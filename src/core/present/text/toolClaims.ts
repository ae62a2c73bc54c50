import type { Tool } from '../../protocol/mcp.js';
import type { Localize } from './localize.js';

/** What the annotations of a tool claim, in words. Claims, not facts. */
export function toolClaims(tool: Tool, t: Localize): string[] {
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = tool.annotations ?? {};
  return [
    ...(readOnlyHint === true ? [t('only reads')] : []),
    ...(destructiveHint === true && readOnlyHint !== true ? [t('may destroy data')] : []),
    ...(idempotentHint === true ? [t('safe to repeat')] : []),
    ...(openWorldHint === true ? [t('reaches outside')] : []),
  ];
}
