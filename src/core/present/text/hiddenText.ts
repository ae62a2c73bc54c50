import { t } from '@vscode/l10n';
import { countHidden } from '../../base/hostileText.js';
import type { ToolDefinition } from '../../consent/toolDefinition.js';
import type { CallToolResult, Prompt, Resource, ResourceTemplate } from '../../protocol/mcp.js';
import type { SkillEntry } from '../../skills/skillEntry.js';

/** Lists are replaced, never changed, so what was counted stays so: a tree of thousands of tools is drawn often. */
const counted = new WeakMap<object, number>();

/** How many hidden characters stand anywhere in what a server says of a tool. */
export function hiddenInTool(tool: ToolDefinition): number {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  return remembered(tool, () => [name, title, description, inputSchema, outputSchema, annotations]);
}

/** The same for a resource, a template of resources or a prompt. */
export function hiddenInItem(item: Resource | ResourceTemplate | Prompt): number {
  return remembered(item, () => item);
}

/** The same for a skill: its front matter, its address and those of its files. */
export function hiddenInSkill(skill: SkillEntry): number {
  return remembered(skill, () => [skill.uri, skill.frontmatter, skill.files]);
}

function remembered(key: object, value: () => unknown): number {
  const known = counted.get(key) ?? hiddenIn(value());
  counted.set(key, known);
  return known;
}

/** How many hidden characters stand in the texts of a JSON value, names of members included. */
export function hiddenIn(value: unknown): number {
  let count = 0;
  const waiting = [value];
  // A value that holds itself, or one thing many times, is counted once.
  const seen = new Set<object>();
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === 'string') count += countHidden(next);
    else if (typeof next === 'object' && next !== null && !seen.has(next)) {
      seen.add(next);
      for (const [name, member] of Object.entries(next)) waiting.push(name, member);
    }
  }
  return count;
}

/** The same for what a tool answered, without the bytes of pictures, sounds and files. */
export function hiddenInResult({ content, structuredContent }: CallToolResult): number {
  const texts = content.map((block) => ({
    ...block,
    data: undefined,
    ...(block.type === 'resource' ? { resource: { ...block.resource, blob: undefined } } : {}),
  }));
  return hiddenIn([texts, structuredContent]);
}

/** A line with the count in front, where a narrow place does not cut it; as it is where there is none. */
export function flagged(line: string, count: number): string {
  return count === 0 ? line : [hiddenWords(count), line].filter((part) => part !== '').join(' · ');
}

/** A sentence that warns of them: none where there are none. */
export function hiddenSentence(count: number): string[] {
  return count === 0 ? [] : [t('It holds {0}, written as \\u{…} here.', hiddenWords(count))];
}

/** The words of a badge: `3 hidden characters`. */
export function hiddenWords(count: number): string {
  return count === 1 ? t('1 hidden character') : t('{0} hidden characters', count);
}
