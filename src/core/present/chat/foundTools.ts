/** The tools that a search by a chat model finds, and the answers to the model. */
import { nearestName } from '../../base/editDistance.js';
import { visibleLine } from '../../base/hostileText.js';
import type { ToolFinder } from '../../search/toolFinder.js';
import type { ModelTool } from './modelTools.js';
import { toolDescription, toolSchema } from './modelTools.js';

/** The tools that fit the words best, best first. */
export async function foundTools(
  finder: ToolFinder,
  tools: readonly ModelTool[],
  words: string,
): Promise<readonly ModelTool[]> {
  const found = await finder.find(
    tools.map((one) => ({ ...one.tool, server: one.server, one })),
    words,
  );
  return found.map(({ one }) => one);
}

/** The found tools for a model: JSON with name, description and input schema. */
export function foundToolsText(found: readonly ModelTool[]): string {
  if (found.length === 0) return 'No tool fits these words. Try other words for what the tool should do.';
  return JSON.stringify(
    found.map((one) => ({
      name: one.name,
      description: toolDescription(one),
      inputSchema: toolSchema(one.tool.inputSchema),
    })),
  );
}

/** The answer to a call of a tool that is not in the list, with the most similar name if there is one. */
export function unknownToolText(name: string, tools: readonly ModelTool[]): string {
  const near = nearestName(
    name,
    tools.map((tool) => tool.name),
  );
  return `There is no tool "${visibleLine(name, 100)}".${near === undefined ? '' : ` Did you mean "${near}"?`}`;
}
