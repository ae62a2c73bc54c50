/**
 * Reads `gateway` of `.vscode/mcp-deck.json`: how tools are shown to agents. The file belongs to the workspace, so
 * hiding a tool applies at once, and other texts need the approval of the user: a file could name a deleting tool
 * "read".
 */
import { t } from '@vscode/l10n';
import type { Node } from 'jsonc-parser';
import { visibleLine, visibleText } from '../base/hostileText.js';
import { membersOf } from '../config/configNodes.js';

/** How one tool is shown to agents. */
export interface ToolOverride {
  /** Name or ID of the server, and name of the tool. */
  server: string;
  tool: string;
  isHidden?: true;
  name?: string;
  description?: string;
}

type Report = (severity: 'error' | 'warning', message: string, place: Node) => void;

/**
 * Maximum length of a description, in characters as a question shows them: the user approves the description in a
 * dialog, which must show it completely. Hidden characters are shown as codes, so they count more than once.
 */
export const maxDescription = 1_500;

/** Maximum number of tools with an override. */
const maxOverrides = 2_000;

/** The overrides of the file. Invalid ones are reported and omitted. */
export function readOverrides(gateway: Node, report: Report): ToolOverride[] {
  const overrides: ToolOverride[] = [];
  for (const { name, key, value } of objectMembers(gateway, t('"gateway" must be an object with "tools".'), report)) {
    if (name !== 'tools') {
      report('warning', t('"{0}" is not supported here. Expected "tools".', visibleLine(name, 60)), key);
      continue;
    }
    for (const { name: server, value: tools } of objectMembers(
      value,
      t('Expected an object with the names of servers as keys.'),
      report,
    ))
      for (const { name: tool, key: place, value: shown } of objectMembers(
        tools,
        t('Expected an object with the names of tools as keys.'),
        report,
      )) {
        if (overrides.length === maxOverrides) {
          report('error', t('The list has more than {0} names. Only the first {0} are used.', maxOverrides), place);
          return overrides;
        }
        overrides.push(readOverride({ server, tool }, shown, report));
      }
  }
  return overrides;
}

function readOverride(about: Pick<ToolOverride, 'server' | 'tool'>, node: Node, report: Report): ToolOverride {
  const override: ToolOverride = { ...about };
  for (const { name, key, value } of objectMembers(node, t('Expected "hide", "name", or "description".'), report)) {
    const written: unknown = value.value;
    if (name === 'hide' && typeof written === 'boolean') {
      if (written) override.isHidden = true;
    } else if (name === 'name' && typeof written === 'string' && /^[a-zA-Z0-9_-]{1,46}$/.test(written))
      override.name = written;
    else if (name === 'description' && typeof written === 'string' && isShort(written)) override.description = written;
    else if (name === 'name')
      report(
        'error',
        t('A name has 1 to 46 letters, digits, underscores, and hyphens. The tool keeps its name.'),
        value,
      );
    else report('error', problemOf(name), key);
  }
  return override;
}

/** The problem of a field with this name that is unknown or has an unusable value. */
function problemOf(field: string): string {
  if (field === 'hide') return t('"hide" must be true or false.');
  if (field === 'description')
    return t(
      '"description" must be a string of at most 1,500 characters. A hidden character counts as its code, such as {0}.',
      '\\u{200b}',
    );
  return t('"{0}" is not supported here. Expected "hide", "name", or "description".', visibleLine(field, 60));
}

function objectMembers(node: Node, message: string, report: Report): ReturnType<typeof membersOf> {
  if (node.type === 'object') return membersOf(node);
  report('error', message, node);
  return [];
}

function isShort(description: string): boolean {
  return description.length <= maxDescription && visibleText(description, Infinity).length <= maxDescription;
}

/** Whether an override shows other texts than those of the server, which the user must approve. */
export function changesTexts({ name, description, isHidden }: ToolOverride): boolean {
  return isHidden !== true && (name !== undefined || description !== undefined);
}
