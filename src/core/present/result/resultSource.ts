/** Finds the part of a whole result that a page refers to. */
import { exactAt } from '../../base/exactNumbers.js';
import { isObject } from '../../base/guards.js';
import type { CallToolResult, ContentBlock } from '../../protocol/mcp.js';
import type { JsonPath } from '../../../shared/result/resultModel.js';
import type { JsonSource } from '../../../shared/result/resultRequest.js';
import { parseJsonText } from '../text/jsonPieces.js';

/** The JSON value that a page shows as a tree; undefined if there is none at that place. */
export function jsonOf(result: CallToolResult, source: JsonSource): unknown {
  if (source === 'structured') return result.structuredContent;
  const text = blockText(result.content[source.part]);
  return text === undefined ? undefined : parseJsonText(text)?.value;
}

/** The text of a block, or the text of the resource in the block. */
function blockText(block: ContentBlock | undefined): string | undefined {
  if (block?.type === 'text') return block.text;
  return block?.type === 'resource' ? block.resource.text : undefined;
}

/**
 * The value at the end of a path. A number that a double cannot represent is returned as `ExactNumber`. Undefined if
 * the path does not exist. Follows only own properties.
 */
export function exactValueAt(value: unknown, path: JsonPath): unknown {
  let at = value;
  for (const step of path) {
    if (Array.isArray(at) && typeof step === 'number') at = exactAt(at, step);
    else if (isObject(at) && typeof step === 'string' && Object.hasOwn(at, step)) at = exactAt(at, step);
    else return undefined;
  }
  return at;
}
