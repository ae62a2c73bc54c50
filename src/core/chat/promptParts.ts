import { visibleLine, visibleText } from '../base/hostileText.js';
import type { ContentBlock, GetPromptResult } from '../protocol/mcp.js';
import type { ModelImage, ModelText } from './chatModel.js';
import { imageOf } from './modelCall.js';

/** Maximum length of the messages of a prompt, in characters. */
const maxLength = 60_000;

/**
 * The messages of a prompt as a message to a model. The user chose the prompt, so the model answers it.
 * @param mask removes the secrets of the server.
 */
export function promptParts(
  { messages }: GetPromptResult,
  { server, prompt }: { server: string; prompt: string },
  mask: (text: string) => string,
): (ModelText | ModelImage)[] {
  const parts: (ModelText | ModelImage)[] = [
    {
      kind: 'text',
      text: `The user chose the prompt "${visibleLine(prompt, 120)}" of the MCP server "${visibleLine(server, 80)}". Its messages follow. Answer them.`,
    },
  ];
  let left = maxLength;
  for (const { role, content } of messages) {
    const image = content.type === 'image' ? imageOf(Buffer.from(content.data, 'base64')) : undefined;
    if (image) parts.push(image);
    const whole = mask(
      `${role === 'user' ? 'User' : 'Assistant'}: ${image ? `[${image.mimeType}]` : contentText(content)}`,
    );
    // The user does not see hidden characters, so the model gets them as escapes.
    const text = visibleText(whole, Infinity);
    if (left > 0) parts.push({ kind: 'text', text: text.length > left ? `${text.slice(0, left)}\n[Cut]` : text });
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
