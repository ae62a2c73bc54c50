import { isObject } from '../base/guards.js';
import { copyWith } from '../base/objectCopy.js';
import type { CallToolResult, ContentBlock, GetPromptResult, ResourceContents, Tool } from '../protocol/mcp.js';
import type { PublicUris } from './publicUris.js';

/**
 * Replaces the URIs in the tools and results of a server by the public ones. Values that need no change are not copied.
 */
export class UrisInResults {
  constructor(private readonly uris: PublicUris) {}

  inTool(server: string, tool: Tool): Tool {
    const meta = tool._meta;
    if (!meta) return tool;
    const ui = meta['ui'];
    const old = meta['ui/resourceUri'];
    const changed = { ...meta };
    if (isObject(ui) && typeof ui['resourceUri'] === 'string')
      changed['ui'] = { ...ui, resourceUri: this.uris.ofResult(server, ui['resourceUri']) };
    if (typeof old === 'string') changed['ui/resourceUri'] = this.uris.ofResult(server, old);
    return { ...tool, _meta: changed };
  }

  inCall(server: string, result: CallToolResult): CallToolResult {
    return result.content.some(hasUri)
      ? { ...result, content: result.content.map((block) => this.inBlock(server, block)) }
      : result;
  }

  inPrompt(server: string, result: GetPromptResult): GetPromptResult {
    if (!result.messages.some(({ content }) => hasUri(content))) return result;
    return {
      ...result,
      messages: result.messages.map((message) => copyWith(message, { content: this.inBlock(server, message.content) })),
    };
  }

  inContents(server: string, contents: ResourceContents[]): ResourceContents[] {
    return contents.map((content) => copyWith(content, { uri: this.uris.ofResult(server, content.uri) }));
  }

  private inBlock(server: string, block: ContentBlock): ContentBlock {
    if (block.type === 'resource_link') return copyWith(block, { uri: this.uris.ofResult(server, block.uri) });
    if (block.type !== 'resource') return block;
    const { resource } = block;
    return copyWith(block, { resource: copyWith(resource, { uri: this.uris.ofResult(server, resource.uri) }) });
  }
}

function hasUri(block: ContentBlock): boolean {
  return block.type === 'resource_link' || block.type === 'resource';
}
