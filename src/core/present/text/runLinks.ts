/** Converts a call to other formats: a keybinding, a task, or a URI of the extension. */
import { t } from '@vscode/l10n';
import { isObject } from '../../base/guards.js';

export interface LinkedCall {
  server: string;
  tool: string;
  arguments: Record<string, unknown>;
}

/** The path of URIs that run a tool. */
export const runPath = '/run';
const maxQueryLength = 32_768;

/** An entry for `keybindings.json`, in which the user enters the key. */
export function keybindingText({ server, tool, arguments: values }: LinkedCall, command: string): string {
  return JSON.stringify({ key: '', command, args: { server, tool, arguments: values, show: true } }, undefined, 2);
}

/** An entry for `tasks.json`. */
export function taskDefinition({ server, tool, arguments: values }: LinkedCall): {
  type: 'mcpDeck';
  server: string;
  tool: string;
  arguments: Record<string, unknown>;
} {
  return { type: 'mcpDeck', server, tool, arguments: values };
}

/** The URI `vscode://publisher.name/run?…`; undefined if it would be too long to be opened. */
export function linkText(
  { server, tool, arguments: values }: LinkedCall,
  scheme: string,
  extensionId: string,
): string | undefined {
  const query = [
    `server=${encodeURIComponent(server)}`,
    `tool=${encodeURIComponent(tool)}`,
    ...(Object.keys(values).length === 0 ? [] : [`arguments=${encodeURIComponent(JSON.stringify(values))}`]),
  ].join('&');
  return query.length > maxQueryLength ? undefined : `${scheme}://${extensionId}${runPath}?${query}`;
}

/** Reads the query of a `/run` URI, which is untrusted. `problem` is a sentence. */
export function readLink(query: string): LinkedCall | { problem: string } {
  if (query.length > maxQueryLength) return { problem: t('The link is too long.') };
  const parts = new URLSearchParams(query);
  const server = parts.get('server') ?? '';
  const tool = parts.get('tool') ?? '';
  if (server === '' || tool === '') return { problem: t('The link does not specify both a server and a tool.') };
  let values: unknown;
  try {
    values = JSON.parse(parts.get('arguments') ?? '{}');
  } catch {
    return { problem: t('The arguments of the link are not JSON.') };
  }
  return isObject(values)
    ? { server, tool, arguments: values }
    : { problem: t('The arguments of the link are not a JSON object.') };
}

/** Reads the definition of a task; undefined if it does not define a call. */
export function readTaskDefinition(definition: unknown): LinkedCall | undefined {
  if (!isObject(definition)) return undefined;
  const { server, tool, arguments: values = {} } = definition;
  return typeof server === 'string' && typeof tool === 'string' && isObject(values)
    ? { server, tool, arguments: values }
    : undefined;
}
