/** The answers to `/resources` and `/prompts` in the chat. All texts of servers are escaped. */
import { t } from '@vscode/l10n';
import type { ServerView } from '../../catalog/hostTypes.js';
import type { Prompt, Resource, ResourceTemplate } from '../../protocol/mcp.js';
import { plainSentence } from '../text/lines.js';
import { escapeMarkdownLine, inlineCode } from '../text/markdown.js';

/** Maximum number of items of one list. */
const maxItems = 50;

interface Item {
  /** The text that is searched besides the name of the server: URI, name, title and description. */
  text: string;
  line: string;
}

/**
 * The resources of all running servers as Markdown.
 * @param words an item is listed only if its server, URI, name, title and description together contain all of them.
 */
export function resourcesMarkdown(servers: readonly ServerView[], words = ''): string {
  return listMarkdown(servers, words, {
    items: ({ features }) => [
      ...(features?.resources ?? []).map((resource) => resourceItem(resource.uri, resource)),
      ...(features?.resourceTemplates ?? []).map((template) => resourceItem(template.uriTemplate, template)),
    ],
    none: t('No running server offers resources.'),
    hint: t('To read a resource: {0}', '`@deck /read server URI`'),
  });
}

/**
 * The prompts of all running servers as Markdown.
 * @param words as in `resourcesMarkdown`; a prompt has no URI.
 */
export function promptsMarkdown(servers: readonly ServerView[], words = ''): string {
  return listMarkdown(servers, words, {
    items: ({ id, features }) => (features?.prompts ?? []).map((prompt) => promptItem(id, prompt)),
    none: t('No running server offers prompts.'),
    hint: t('To use a prompt: {0}', '`@deck /prompt server.prompt {"argument": "value"}`'),
  });
}

function listMarkdown(
  servers: readonly ServerView[],
  words: string,
  { items, none, hint }: { items: (server: ServerView) => Item[]; none: string; hint: string },
): string {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const all = servers.map((server) => ({ id: server.id, items: items(server) })).filter((one) => one.items.length > 0);
  if (all.length === 0) return `${none}\n\n`;
  const found = all
    .map(({ id, items: list }) => ({
      id,
      items: list.filter(({ text }) => wanted.every((word) => `${id} ${text}`.toLowerCase().includes(word))),
    }))
    .filter((one) => one.items.length > 0);
  if (found.length === 0) return `${t('Nothing matches {0}.', inlineCode(words, 80))}\n\n`;
  let left = maxItems;
  const blocks = found.flatMap(({ id, items: list }) => {
    const shown = list.slice(0, left);
    left -= shown.length;
    if (shown.length === 0) return [];
    return [`**${escapeMarkdownLine(id)}** (${list.length})\n\n${shown.map(({ line }) => line).join('\n')}`];
  });
  const hidden = found.reduce((sum, one) => sum + one.items.length, 0) - (maxItems - left);
  if (hidden > 0) blocks.push(t('and {0} more', hidden));
  return `${[...blocks, hint].join('\n\n')}\n\n`;
}

function resourceItem(
  uri: string,
  { name, title, description, mimeType }: Omit<Resource, 'uri'> | Omit<ResourceTemplate, 'uriTemplate'>,
): Item {
  const what = [title ?? name, plainSentence(description, 100)].filter((text) => text !== undefined && text !== uri);
  const about = what.length > 0 ? ` — ${escapeMarkdownLine(what.join('. '))}` : '';
  const type = mimeType === undefined ? '' : ` *(${escapeMarkdownLine(mimeType, 80)})*`;
  return {
    text: `${uri} ${name} ${title ?? ''} ${description ?? ''}`,
    line: `- ${inlineCode(uri, 200)}${about}${type}`,
  };
}

function promptItem(server: string, { name, title, description, arguments: values = [] }: Prompt): Item {
  const what = plainSentence(description, 100) ?? title;
  const names = values.map((value) =>
    value.required === true ? inlineCode(value.name, 60) : t('{0} (optional)', inlineCode(value.name, 60)),
  );
  const about = what === undefined ? '' : ` — ${escapeMarkdownLine(what)}`;
  const takes = names.length > 0 ? ` ${t('Arguments: {0}', names.join(', '))}` : '';
  return {
    text: `${name} ${title ?? ''} ${description ?? ''}`,
    line: `- ${inlineCode(`${server}.${name}`, 160)}${about}${takes}`,
  };
}
