/** Converts the result of a tool or a prompt for editors. */
import { t } from '@vscode/l10n';
import { visibleLine } from '../../base/hostileText.js';
import type { CallToolResult, GetPromptResult } from '../../protocol/mcp.js';
import { isJsonOfValue } from './jsonNodes.js';
import type { PresentedResult, ResultLimits } from './resultPage.js';
import { ResultPage } from './resultPage.js';

/**
 * Maximum number of texts that are compared with the structured content. Each comparison takes as long as the content is
 * large.
 */
const maxCompared = 3;

/** Converts the result of a tool. `notes` are remarks of MCP Deck, e.g. that the output does not match its schema. */
export function presentToolResult(
  result: CallToolResult,
  { server, tool, notes = [] }: { server: string; tool: string; notes?: readonly string[] },
  limits: ResultLimits = {},
): PresentedResult {
  const page = new ResultPage(limits);
  const structured = result.structuredContent;
  for (const block of result.content) page.addContent(block);
  const texts = result.content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  const isSaid =
    structured === undefined || texts.slice(0, maxCompared).some((text) => isJsonOfValue(text, structured));
  if (!isSaid) page.addJsonValue(structured, result.content.length > 0 ? t('Structured content') : undefined);
  const isError = result.isError === true;
  const name = visibleLine(tool, 80);
  const heading = isError
    ? [t('ERROR: the tool "{0}" of the server "{1}" reported an error.', name, visibleLine(server, 80)), ...notes]
    : notes;
  return {
    title: isError ? t('{0} - error', name) : t('{0} - result', name),
    isError,
    summary: page.firstWords() || (isError ? t('no message') : ''),
    ...page.finish(heading, t('The tool returned nothing.')),
  };
}

/** The message about a result that is an error. It names the tool and the server. */
export function toolErrorText(result: CallToolResult, { server, tool }: { server: string; tool: string }): string {
  const { summary } = presentToolResult(result, { server, tool });
  return t('"{0}" of {1} reports an error: {2}', visibleLine(tool, 80), visibleLine(server, 80), summary);
}

/** The description and the messages of a prompt, each message below a heading with its role. */
export function presentPrompt(
  result: GetPromptResult,
  { prompt }: { prompt: string },
  limits: ResultLimits = {},
): PresentedResult {
  const page = new ResultPage(limits);
  if (result.description !== undefined && result.description !== '') page.addText(result.description, 'plaintext');
  for (const { role, content } of result.messages) {
    page.addText(`## ${role === 'user' ? t('User') : t('Assistant')}`, 'markdown');
    page.addContent(content);
  }
  const name = visibleLine(prompt, 80);
  return {
    title: t('{0} - prompt', name),
    isError: false,
    summary: page.firstWords(),
    ...page.finish([], t('The prompt has no messages.')),
  };
}
