import { t } from '@vscode/l10n';
import { visibleText } from '../../base/hostileText.js';
import type { InputDefinition } from '../../config/serverDefinition.js';
import type { Tool } from '../../protocol/mcp.js';

/** The parts of a server that an update compares: its definition in a file, and its inputs. */
export interface ComparedDefinition {
  fields: Readonly<Record<string, unknown>>;
  inputs: readonly InputDefinition[];
}

const maxText = 200_000;

/** A definition as text for a comparison: one line for each value, and its inputs below. */
export function comparedText({ fields, inputs }: ComparedDefinition): string {
  const parts = [JSON.stringify(fields, null, 2)];
  if (inputs.length > 0) parts.push(t('Inputs:'), JSON.stringify(inputs, null, 2));
  return `${visibleText(parts.join('\n\n'), maxText)}\n`;
}

/** Tools as text for a comparison, in the order of their names. */
export function toolsText(tools: readonly Tool[]): string {
  const sorted = tools.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const shown = sorted.map(({ name, description, inputSchema, annotations }) =>
    JSON.stringify({ name, description, annotations, inputSchema }, null, 2),
  );
  return `${visibleText(shown.join('\n\n'), maxText)}\n`;
}

/** The number of tools that a new version adds, removes, and changes, as a line. Undefined if it changes none. */
export function toolChangesText(before: readonly Tool[], after: readonly Tool[]): string | undefined {
  const texts = (tools: readonly Tool[]) => new Map(tools.map((tool) => [tool.name, toolsText([tool])]));
  const [old, now] = [texts(before), texts(after)];
  const added = [...now.keys()].filter((name) => !old.has(name)).length;
  const removed = [...old.keys()].filter((name) => !now.has(name)).length;
  const changed = [...now].filter(([name, text]) => old.has(name) && old.get(name) !== text).length;
  if (added + removed + changed === 0) return undefined;
  return t('Tools: {0} added, {1} removed, {2} changed', added, removed, changed);
}
