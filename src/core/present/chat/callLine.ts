/** A call that the user typed in full: `server.tool {"argument": "value"}`. */
import { t } from '@vscode/l10n';
import { isObject } from '../../base/guards.js';
import { visibleLine } from '../../base/hostileText.js';
import { parseExact } from '../../base/exactNumbers.js';
import type { ServerView } from '../../catalog/hostTypes.js';
import type { Tool } from '../../protocol/mcp.js';
import { jsonProblem } from '../../../shared/form/formJson.js';
import { scanJson, strictJson } from '../../../shared/form/looseJson.js';
import type { PickRow } from './toolPick.js';

/** A tool whose name begins a text, and the rest of the text. */
interface NamedTool {
  server: string;
  tool: Tool;
  /** The text after the name; empty if there is none. */
  rest: string;
}

/** Finds the tool that a text begins with, as `server.tool`. If several names match, the longest one is used. */
export function namedTool(text: string, servers: readonly ServerView[]): NamedTool | undefined {
  const line = text.trim();
  let best: NamedTool | undefined;
  let length = 0;
  for (const { id, features } of servers) {
    if (!features || !line.startsWith(`${id}.`)) continue;
    for (const tool of features.tools) {
      const end = id.length + 1 + tool.name.length;
      if (end <= length || !line.startsWith(tool.name, id.length + 1)) continue;
      if (line.length > end && !/[\s{]/.test(line.charAt(end))) continue;
      best = { server: id, tool, rest: line.slice(end).trim() };
      length = end;
    }
  }
  return best;
}

/** Reads the arguments of a typed call. Comments and a comma before a closing bracket are allowed. */
export function readCallArguments(text: string): { values: Record<string, unknown> } | { problem: string } {
  const problem = jsonProblem(text);
  if (problem !== undefined) return { problem: t('Invalid JSON: {0}', problem) };
  const values = parseExact(strictJson(text, scanJson(text).extras));
  return isObject(values)
    ? { values }
    : { problem: t('The arguments must be one JSON object, such as {0}.', '{"name": "value"}') };
}

/**
 * The row for a typed call. The row for a call with a problem shows the problem and cannot be accepted.
 * @param check returns the problems of the arguments according to the tool's schema, as one line; undefined if there
 * are none.
 */
export function callRow(
  text: string,
  servers: readonly ServerView[],
  check: (tool: Tool, values: Record<string, unknown>) => string | undefined,
): PickRow | undefined {
  const named = namedTool(text, servers);
  if (!named || named.rest === '') return undefined;
  const { server, tool, rest } = named;
  const read = readCallArguments(rest);
  const problem = 'problem' in read ? read.problem : check(tool, read.values);
  const label = t('Run {0}', visibleLine(tool.name, 80));
  const description = visibleLine(server, 80);
  if ('problem' in read || problem !== undefined)
    return { kind: 'item', label, description, detail: visibleLine(problem ?? '', 300), icon: 'error' };
  return {
    kind: 'item',
    label,
    description,
    detail: visibleLine(rest, 300),
    icon: 'play',
    target: { server, name: tool.name, arguments: read.values },
  };
}
