/**
 * Converts the server's data to the format of a revision. Only data that the client would misinterpret is changed; data
 * that it would ignore is kept.
 */
import { isObject } from '../base/guards.js';
import { copyWith } from '../base/objectCopy.js';
import type { CallToolResult, ContentBlock, GetPromptResult, Tool } from '../protocol/mcp.js';
import type { Revision } from '../protocol/revisions.js';
import { isAtLeast } from '../protocol/revisions.js';

/** A tool in the format of this revision. */
export function toolFor(tool: Tool, revision: Revision): Tool {
  const shaped = { ...tool };
  // Up to 2025-11-25, structured content must be an object, and its schema must describe one.
  if (shaped.outputSchema && !isAtLeast(revision, '2026-07-28') && shaped.outputSchema['type'] !== 'object')
    delete shaped.outputSchema;
  if (revision !== '2025-11-25') delete shaped.execution;
  return shaped;
}

/** A tool result in the format of this revision. */
export function callResultFor(result: CallToolResult, revision: Revision): Record<string, unknown> {
  const shaped: Record<string, unknown> = { ...result };
  // The result of a call that runs as a task of an extension has no content.
  if (Array.isArray(result.content)) shaped['content'] = result.content.map((block) => contentFor(block, revision));
  const isModern = isAtLeast(revision, '2026-07-28');
  if (!isModern && result.structuredContent !== undefined && !isObject(result.structuredContent))
    delete shaped['structuredContent'];
  return shaped;
}

/** A prompt in the format of this revision. */
export function promptResultFor(result: GetPromptResult, revision: Revision): Record<string, unknown> {
  return {
    ...result,
    messages: result.messages.map((message) => copyWith(message, { content: contentFor(message.content, revision) })),
  };
}

/**
 * A content block in the format of this revision. Audio exists since 2025-03-26, and resource links since 2025-06-18.
 * For earlier revisions, they are converted to the most similar type.
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
