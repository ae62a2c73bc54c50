/** The answer to `/tools` in the chat: short for many tools, with descriptions for few. */
import { t } from '@vscode/l10n';
import type { ServerView } from '../../catalog/hostTypes.js';
import type { ServerSwitches } from '../../presets/toolSwitches.js';
import type { Tool } from '../../protocol/mcp.js';
import { toolClaims } from '../text/callText.js';
import { hiddenInTool, hiddenWords } from '../text/hiddenText.js';
import { plainSentence } from '../text/lines.js';
import { escapeMarkdownLine, inlineCode } from '../text/markdown.js';
import { prefixOf } from '../tree/itemGroups.js';

/** Maximum number of tools that are listed with descriptions. If there are more, only their names are listed. */
const maxDescribed = 20;
/** Maximum number of described tools if the user entered words to search for. */
const maxFound = 50;
const maxGroups = 12;
const maxNames = 6;
/** Minimum number of names with the same beginning that form a group. */
const minGroup = 3;

interface Listed {
  id: string;
  tools: readonly Tool[];
  /** The reason that is shown if none of the server's tools is listed. */
  why: string;
}

/**
 * The tools of all running servers as Markdown.
 * @param words a tool is listed only if its server, name, title and description together contain all of them.
 * @param similar the tools that a search finds, best first. They are listed if no tool contains the words.
 */
export function toolsMarkdown(
  servers: readonly ServerView[],
  words = '',
  similar: readonly { server: string; tool: Tool }[] = [],
): string {
  const wanted = words
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const listed = servers.flatMap(({ id, features, switches }): Listed[] =>
    features
      ? [
          {
            id,
            tools: features.tools.filter(
              (tool) => switches?.whyOff(tool.name) === undefined && isWanted(id, tool, wanted),
            ),
            why: whyNone(features.tools, switches),
          },
        ]
      : [],
  );
  const count = listed.reduce((sum, { tools }) => sum + tools.length, 0);
  if (wanted.length > 0) return foundMarkdown(listed, count, words, similar);
  const isShort = count > maxDescribed;
  const blocks = listed.map(({ id, tools, why }) =>
    tools.length === 0
      ? `**${escapeMarkdownLine(id)}**\n\n${why}`
      : `**${escapeMarkdownLine(id)}** (${tools.length})\n\n${(isShort ? groupLines(tools) : tools.map(toolLine)).join('\n')}`,
  );
  const resting = servers
    .filter(({ features, entry }) => !features && entry.isEnabled)
    .map(({ id }) => inlineCode(id, 80));
  if (resting.length > 0) blocks.push(t('Not running: {0}', resting.join(', ')));
  if (isShort)
    blocks.push(
      t('To see descriptions, add words from the name of the server or the tool: {0}', '`@deck /tools file search`'),
    );
  return `${blocks.join('\n\n')}\n\n`;
}

function whyNone(tools: readonly Tool[], switches: ServerSwitches | undefined): string {
  if (tools.length === 0) return t('offers no tools');
  return switches?.preset !== undefined && tools.some(({ name }) => switches.whyOff(name) === 'preset')
    ? t('not in the preset "{0}"', escapeMarkdownLine(switches.preset, 60))
    : t('all of its tools are disabled');
}

function foundMarkdown(
  listed: readonly Listed[],
  count: number,
  words: string,
  similar: readonly { server: string; tool: Tool }[],
): string {
  if (count === 0 && similar.length > 0) {
    const lines = similar.map(({ server, tool }) => `${toolLine(tool)} *(${escapeMarkdownLine(server)})*`);
    return `${t('No tool contains {0}. Similar tools:', inlineCode(words, 80))}\n\n${lines.join('\n')}\n\n`;
  }
  if (count === 0)
    return `${t('No tool of a running server matches {0}. {1} lists all tools.', inlineCode(words, 80), '`@deck /tools`')}\n\n`;
  let left = maxFound;
  const blocks = listed.flatMap(({ id, tools }) => {
    const shown = tools.slice(0, left);
    left -= shown.length;
    return shown.length === 0 ? [] : [`**${escapeMarkdownLine(id)}**\n\n${shown.map(toolLine).join('\n')}`];
  });
  if (count > maxFound) blocks.push(t('and {0} more', count - maxFound));
  return `${blocks.join('\n\n')}\n\n`;
}

function isWanted(server: string, { name, title, description = '' }: Tool, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const text = `${server} ${name} ${title ?? ''} ${description.slice(0, 2_000)}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

/** Groups the names by their common prefix, with one line for each group. */
function groupLines(tools: readonly Tool[]): string[] {
  const groups = new Map<string, Tool[]>();
  const others: Tool[] = [];
  for (const tool of tools) {
    const prefix = prefixOf(tool.name);
    groups.set(prefix, [...(groups.get(prefix) ?? []), tool]);
  }
  const lines: string[] = [];
  let hidden = 0;
  for (const [prefix, members] of groups) {
    if (prefix === '' || members.length < minGroup || groups.size === 1) others.push(...members);
    else if (lines.length < maxGroups)
      lines.push(`- **${escapeMarkdownLine(prefix, 60)}** (${members.length}): ${namesOf(members, maxNames)}`);
    else hidden += members.length;
  }
  if (others.length > 0) lines.push(`- ${namesOf(others, 2 * maxNames)}`);
  if (hidden > 0) lines.push(`- ${t('and {0} more', hidden)}`);
  return lines;
}

function namesOf(tools: readonly Tool[], max: number): string {
  const names = tools.slice(0, max).map((tool) => `${inlineCode(tool.name, 120)}${hiddenWarning(tool)}`);
  return [...names, ...(tools.length > max ? [t('and {0} more', tools.length - max)] : [])].join(', ');
}

function toolLine(tool: Tool): string {
  const what = plainSentence(tool.description, 100);
  const claims = toolClaims(tool);
  const description = what === undefined ? '' : ` — ${escapeMarkdownLine(what)}`;
  const annotations = claims.length > 0 ? ` *(${escapeMarkdownLine(claims.join(', '))})*` : '';
  return `- ${inlineCode(tool.name, 120)}${hiddenWarning(tool)}${description}${annotations}`;
}

function hiddenWarning(tool: Tool): string {
  const hidden = hiddenInTool(tool);
  return hidden === 0 ? '' : ` **${escapeMarkdownLine(hiddenWords(hidden))}**`;
}
