import type { ModelTool } from '../present/chat/modelTools.js';
import { toolDescription, toolSchema } from '../present/chat/modelTools.js';
import { callTool, searchTool } from '../present/chat/searchTools.js';
import type { OfferedTool } from './chatModel.js';

/** Maximum number of tools that VS Code passes to a model. */
const maxTools = 128;

/**
 * Maximum length of all tools, in characters of JSON for each token of the model's input. A token has about four
 * characters, so the tools fill a quarter of the input at most.
 */
const maxLengthPerToken = 1;

/** The tools that a model may call, and the tools that are offered to it. */
export class OfferedTools {
  /** Whether the model gets a search tool and a call tool instead of the list. */
  readonly isSearched: boolean;
  readonly offered: readonly OfferedTool[];
  private readonly byName: ReadonlyMap<string, ModelTool>;

  constructor(
    readonly all: readonly ModelTool[],
    maxInputTokens: number,
  ) {
    this.byName = new Map(all.map((tool) => [tool.name, tool]));
    const whole = all.length > maxTools ? undefined : all.map(offeredTool);
    const fits = whole && JSON.stringify(whole).length <= maxInputTokens * maxLengthPerToken;
    this.isSearched = !fits;
    this.offered = fits
      ? whole
      : [searchTool, callTool].map(({ name, description = '', inputSchema }) => ({ name, description, inputSchema }));
  }

  find(name: string): ModelTool | undefined {
    return this.byName.get(name);
  }
}

function offeredTool(tool: ModelTool): OfferedTool {
  return { name: tool.name, description: toolDescription(tool), inputSchema: toolSchema(tool.tool.inputSchema) };
}
