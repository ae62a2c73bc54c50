/**
 * Our own data in the shape of an older or newer revision: only what the other side would misread is changed, what it
 * would merely ignore stays.
 */
import { isObject } from '../base/guards.js';
import type { CallToolResult, ContentBlock, GetPromptResult, Tool } from '../protocol/mcp.js';
import type { Revision } from '../protocol/revisions.js';
import { isAtLeast } from '../protocol/revisions.js';

/** A tool as this revision may describe it. */
export function toolFor(tool: Tool, revision: Revision): Tool {
  const shaped = { ...tool };
  // Up to 2025-11-25 structured content is an object, and so is its schema.
  if (shaped.outputSchema && !isAtLeast(revision, '2026-07-28') && shaped.outputSchema['type'] !== 'object')
    delete shaped.outputSchema;
  if (revision !== '2025-11-25') delete shaped.execution;
  return shaped;
}

/** A tool result as this revision may contain it. */
export function callResultFor(result: CallToolResult, revision: Revision): Record<string, unknown> {
  const shaped: Record<string, unknown> = {
    ...result,
    content: result.content.map((block) => contentFor(block, revision)),
  };
  if (!isAtLeast(revision, '2026-07-28') && !isObject(shaped['structuredContent'])) delete shaped['structuredContent'];
  return shaped;
}

/** A prompt as this revision may contain it. */
export function promptResultFor(result: GetPromptResult, revision: Revision): Record<string, unknown> {
  return {
    ...result,
    messages: result.messages.map((message) => ({ ...message, content: contentFor(message.content, revision) })),
  };
}

/**
 * Sound came with 2025-03-26, links to resources with 2025-06-18; before, they become the nearest thing that nothing
 * is lost in.
 */
function contentFor(block: ContentBlock, revision: Revision): ContentBlock {
  if (block.type === 'audio' && !isAtLeast(revision, '2025-03-26')) {
    return { type: 'resource', resource: { uri: 'attachment:audio', mimeType: block.mimeType, blob: block.data } };
  }
  if (block.type === 'resource_link' && !isAtLeast(revision, '2025-06-18')) {
    return { type: 'text', text: `${block.title ?? block.name}: ${block.uri}` };
  }
  return block;
}
