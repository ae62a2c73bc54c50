import { t } from '@vscode/l10n';
import { countHidden } from '../../base/hostileText.js';
import { copyWith } from '../../base/objectCopy.js';
import type { ToolDefinition } from '../../consent/toolDefinition.js';
import type { CallToolResult, CreateMessageRequest, Prompt, Resource, ResourceTemplate } from '../../protocol/mcp.js';
import type { SkillEntry } from '../../skills/skillEntry.js';

/**
 * Caches the number of hidden characters in each object. This is possible because tools, resources and prompts are
 * replaced and never changed. It is needed because a tree of thousands of tools is drawn often.
 */
const counted = new WeakMap<object, number>();

/** The number of hidden characters in a tool's definition. */
export function hiddenInTool(tool: ToolDefinition): number {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  return remembered(tool, () => [name, title, description, inputSchema, outputSchema, annotations]);
}

/** The number of hidden characters in a resource, a resource template or a prompt. */
export function hiddenInItem(item: Resource | ResourceTemplate | Prompt): number {
  return remembered(item, () => item);
}

/** The number of hidden characters in a skill: its front matter, its URI and those of its files. */
export function hiddenInSkill(skill: SkillEntry): number {
  return remembered(skill, () => [skill.uri, skill.frontmatter, skill.files]);
}

function remembered(key: object, value: () => unknown): number {
  const known = counted.get(key) ?? hiddenIn(value());
  counted.set(key, known);
  return known;
}

/** Approximate maximum of a count. It is limited, because the characters are counted each time a request is drawn. */
const maxCounted = 10_000;

/**
 * The number of hidden characters in the texts of a JSON value, including names of members. Counting ends at about
 * 10,000.
 */
export function hiddenIn(value: unknown): number {
  let count = 0;
  const waiting = [value];
  // Counts a shared object only once, and handles cycles.
  const seen = new Set<object>();
  while (waiting.length > 0 && count < maxCounted) {
    const next = waiting.pop();
    if (typeof next === 'string') count += countHidden(next);
    else if (typeof next === 'object' && next !== null && !seen.has(next)) {
      seen.add(next);
      for (const [name, member] of Object.entries(next)) waiting.push(name, member);
    }
  }
  return count;
}

/** The number of hidden characters in a sampling request, without the data of images and sounds. */
export function hiddenInSampling({
  systemPrompt,
  messages,
  tools,
  toolChoice,
  stopSequences,
  metadata,
}: CreateMessageRequest): number {
  const blocks = messages
    .flatMap(({ content }) => (Array.isArray(content) ? content : [content]))
    .map((block) => copyWith(block, { data: undefined }));
  return hiddenIn([systemPrompt, blocks, tools, toolChoice, stopSequences, metadata]);
}

/** The number of hidden characters in a tool's result, without the data of images, sounds and files. */
export function hiddenInResult({ content, structuredContent }: CallToolResult): number {
  const texts = content.map((block) =>
    copyWith(block, {
      data: undefined,
      ...(block.type === 'resource' ? { resource: copyWith(block.resource, { blob: undefined }) } : {}),
    }),
  );
  return hiddenIn([texts, structuredContent]);
}

/**
 * The line with the count at its beginning, so that the count is not cut off in a narrow view. If the count is zero,
 * the line is unchanged.
 */
export function flagged(line: string, count: number): string {
  return count === 0 ? line : [hiddenWords(count), line].filter((part) => part !== '').join(' · ');
}

/** A sentence that warns of hidden characters; empty if there are none. */
export function hiddenSentence(count: number): string[] {
  return count === 0 ? [] : [t('The text contains {0}, shown as \\u{…}.', hiddenWords(count))];
}

/** The text of a badge: `3 hidden characters`. */
export function hiddenWords(count: number): string {
  return count === 1 ? t('1 hidden character') : t('{0} hidden characters', count);
}
