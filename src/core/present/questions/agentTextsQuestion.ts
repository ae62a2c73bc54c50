import { t } from '@vscode/l10n';
import { visibleLine } from '../../base/hostileText.js';
import { visibleName } from '../../base/visibleName.js';
import type { ToolOverride } from '../../presets/toolOverrides.js';
import { maxDescription } from '../../presets/toolOverrides.js';
import { maxDialogLines } from '../text/lines.js';
import { questionName } from './startQuestion.js';

/** Maximum length of the changes in one question, in characters, so that a dialog shows all of them. */
const maxLength = 1_500;

/** The question about as many changes as one dialog can show completely, together with these changes. */
export function agentTextsQuestion(waiting: readonly ToolOverride[]): {
  message: string;
  detail: string;
  overrides: readonly ToolOverride[];
} {
  const overrides: ToolOverride[] = [];
  const lines: string[] = [];
  let length = 0;
  for (const override of waiting) {
    const line = lineOf(override);
    length += line.length;
    if (lines.length > 0 && (length > maxLength || lines.length === maxDialogLines)) break;
    lines.push(line);
    overrides.push(override);
  }
  const rest = waiting.length - overrides.length;
  return {
    message: t('Show these tool names and descriptions to agents?'),
    detail: [
      t('.vscode/mcp-deck.json defines them. An agent knows a tool only by its name and description.'),
      lines.join('\n'),
      ...(rest > 0 ? [t('MCP Deck then asks about {0} more.', rest)] : []),
    ].join('\n\n'),
    overrides,
  };
}

function lineOf({ server, tool, name, description }: ToolOverride): string {
  const about = t('"{0}" of "{1}"', questionName(tool), questionName(server));
  const parts = [
    ...(name === undefined ? [] : [t('name "{0}"', visibleName(name))]),
    ...(description === undefined ? [] : [t('description "{0}"', visibleLine(description, maxDescription))]),
  ];
  return `${about}: ${parts.join(', ')}`;
}
