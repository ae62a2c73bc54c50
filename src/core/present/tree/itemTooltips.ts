import { t } from '@vscode/l10n';
import { knownTokens } from '../text/toolTokens.js';
import type { Prompt, Resource, ResourceTemplate, Tool } from '../../protocol/mcp.js';
import type { SkillEntry } from '../../skills/skillEntry.js';
import { hiddenInItem, hiddenInSkill, hiddenInTool, hiddenWords } from '../text/hiddenText.js';
import { escapeMarkdownLine, escapeParagraphs, inlineCode, withoutMarkup } from '../text/markdown.js';
import { summarizeParameters } from '../form/schemaSummary.js';
import { plainSentence } from '../text/lines.js';
import { toolClaims } from '../text/callText.js';
import { sizeText } from '../../../shared/amountText.js';

/** Tooltips of tools, resources, prompts and skills. All texts of the server in them are escaped. */

const maxParameters = 20;

/** The tooltip of a tool in Markdown, with texts of the server escaped. */
export function toolTooltip(tool: Tool): string {
  const parts = [heading(tool.title ?? tool.annotations?.title, tool.name)];
  if (tool.description !== undefined) parts.push(escapeParagraphs(withoutMarkup(tool.description, true)));
  const parameters = summarizeParameters(tool.inputSchema).map(({ name, type, isRequired, description }) =>
    parameterLine(
      `${inlineCode(name, 60)}${isRequired ? ` **${t('required')}**` : ''}: ${inlineCode(type, 80)}`,
      description,
    ),
  );
  parts.push(parameters.length === 0 ? t('No parameters.') : limited(parameters));
  parts.splice(1, 0, ...hiddenWarning(hiddenInTool(tool)));
  const claims = toolClaims(tool);
  if (claims.length > 0) parts.push(t('The server says: {0}.', claims.join(', ')));
  const tokens = knownTokens([tool]);
  if (tokens !== undefined) parts.push(t('About {0} tokens in each request to a model.', tokens.toLocaleString('en')));
  return parts.join('\n\n');
}

/** The tooltip of a resource in Markdown, with texts of the server escaped. */
export function resourceTooltip(resource: Resource): string {
  const parts = [
    heading(resource.title, resource.name),
    ...hiddenWarning(hiddenInItem(resource)),
    inlineCode(resource.uri),
  ];
  if (resource.description !== undefined) parts.push(escapeParagraphs(withoutMarkup(resource.description, true)));
  const facts: string[] = [];
  if (resource.mimeType !== undefined) facts.push(`${t('Type')}: ${escapeMarkdownLine(resource.mimeType, 100)}`);
  if (resource.size !== undefined) facts.push(`${t('Size')}: ${t('{0} bytes', resource.size.toLocaleString('en'))}`);
  if (facts.length > 0) parts.push(facts.join('  \n'));
  return parts.join('\n\n');
}

/** The tooltip of a resource template in Markdown, with texts of the server escaped. */
export function templateTooltip(template: ResourceTemplate): string {
  const parts = [
    heading(template.title, template.name),
    ...hiddenWarning(hiddenInItem(template)),
    inlineCode(template.uriTemplate),
  ];
  if (template.description !== undefined) parts.push(escapeParagraphs(withoutMarkup(template.description, true)));
  if (template.mimeType !== undefined) parts.push(`${t('Type')}: ${escapeMarkdownLine(template.mimeType, 100)}`);
  return parts.join('\n\n');
}

/** The tooltip of a prompt in Markdown, with texts of the server escaped. */
export function promptTooltip(prompt: Prompt): string {
  const parts = [heading(prompt.title, prompt.name), ...hiddenWarning(hiddenInItem(prompt))];
  if (prompt.description !== undefined) parts.push(escapeParagraphs(withoutMarkup(prompt.description, true)));
  const lines = (prompt.arguments ?? []).map(({ name, required, description }) =>
    parameterLine(`${inlineCode(name, 60)}${required === true ? ` **${t('required')}**` : ''}`, description),
  );
  parts.push(lines.length === 0 ? t('No arguments.') : limited(lines));
  return parts.join('\n\n');
}

/** The tooltip of a skill in Markdown, with texts of the server escaped. */
export function skillTooltip(skill: SkillEntry): string {
  const { uri, name, description, files, frontmatter } = skill;
  const parts = [
    heading(undefined, name),
    ...hiddenWarning(hiddenInSkill(skill)),
    inlineCode(uri),
    escapeParagraphs(withoutMarkup(description, true)),
  ];
  if (files === 'dynamic')
    parts.push(t('The files of the skill are generated on request, so they cannot be verified.'));
  else parts.push(`${t('Files')}: ${files.length} (${sizeText(files.reduce((sum, { size }) => sum + size, 0))})`);
  // The tools that a skill requests in its front matter are shown, but never granted.
  if (frontmatter['allowed-tools'] !== undefined)
    parts.push(
      t(
        'The skill requests tools ({0}), which are not granted to it.',
        inlineCode(JSON.stringify(frontmatter['allowed-tools']), 200),
      ),
    );
  return parts.join('\n\n');
}

function heading(title: string | undefined, name: string): string {
  return title === undefined || title === name
    ? `**${escapeMarkdownLine(name)}**`
    : `**${escapeMarkdownLine(title)}** — ${inlineCode(name, 120)}`;
}

/** The warning directly below the heading, because a model may read the hidden characters in the text that follows. */
export function hiddenWarning(count: number): string[] {
  return count === 0 ? [] : [`$(warning) **${t("{0} in the server's description", hiddenWords(count))}**`];
}

function parameterLine(head: string, description: string | undefined): string {
  const what = plainSentence(description);
  return `- ${head}${what === undefined ? '' : ` — ${escapeMarkdownLine(what)}`}`;
}

function limited(lines: readonly string[]): string {
  const rest = lines.length - maxParameters;
  return [...lines.slice(0, maxParameters), ...(rest > 0 ? [`- ${t('and {0} more', rest)}`] : [])].join('\n');
}
