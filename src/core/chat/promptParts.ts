import { visibleLine, visibleText } from '../base/hostileText.js';
import { SecretFinder } from '../base/secretFinder.js';
import type { ContentBlock, GetPromptResult } from '../protocol/mcp.js';
import type { ModelImage, ModelText } from './chatModel.js';
import { imageOf } from './modelCall.js';

/** Maximum length of the messages of a prompt, in characters. */
const maxLength = 60_000;

/**
 * The messages of a prompt as a message to a model. The user chose the prompt, so the model answers it.
 * @param secrets the secrets that the server received; they are masked.
 */
export function promptParts(
  { messages }: GetPromptResult,
  { server, prompt }: { server: string; prompt: string },
  secrets: readonly string[],
): (ModelText | ModelImage)[] {
  const parts: (ModelText | ModelImage)[] = [
    {
      kind: 'text',
      text: `The user chose the prompt "${visibleLine(prompt, 120)}" of the MCP server "${visibleLine(server, 80)}". Its messages follow. Answer them.`,
    },
  ];
  const finder = new SecretFinder(secrets);
  let left = maxLength;
  for (const { role, content } of messages) {
    const image = content.type === 'image' ? imageOf(Buffer.from(content.data, 'base64')) : undefined;
    if (image) parts.push(image);
    if (left <= 0) continue;
    const whole = `${role === 'user' ? 'User' : 'Assistant'}: ${image ? `[${image.mimeType}]` : contentText(content)}`;
    // The text is cut before it is masked and escaped, so that the work for a large prompt is limited. The user does
    // not see hidden characters, so the model gets them as escapes.
    const isCut = whole.length > left;
    const text = visibleText(finder.maskFirst(whole, left), Infinity);
    parts.push({ kind: 'text', text: isCut || text.length > left ? `${text.slice(0, left)}\n[Cut]` : text });
    left -= text.length;
  }
  return parts;
}

function contentText(content: ContentBlock): string {
  switch (content.type) {
    case 'text':
      return content.text;
    case 'resource':
      return `${content.resource.uri}\n${content.resource.text ?? '[binary]'}`;
    case 'resource_link':
      return `[${content.uri}]`;
    default:
      return `[${content.mimeType}]`;
  }
}
