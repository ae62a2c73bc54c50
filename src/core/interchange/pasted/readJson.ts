import { t } from '@vscode/l10n';
import { isObject } from '../../base/guards.js';
import { visibleLine } from '../../base/hostileText.js';
import { findTooDeep, parseJsonTree, plainValue } from '../../config/configNodes.js';
import type { Found, FoundServer, NotFound } from './foundServer.js';
import { isEntry } from './foundServer.js';

/** Maximum number of values that are read, including brackets in prose, which are skipped. */
const maxSnippets = 50;
/** Keys that contain the servers, as an object or a list, in the files of the supported apps. */
const containers = ['mcpServers', 'servers', 'context_servers', 'mcp.servers', 'amp.mcpServers', 'mcp_servers', 'mcp'];
/** Fields of an entry that are not fields of a server. */
const notOfServer: ReadonlySet<string> = new Set(['name', 'inputs', 'gallery']);
const maxNesting = 4;

/**
 * Reads servers from JSON with comments, which may be surrounded by other text: a whole configuration file of any app,
 * a part of one without its outer brackets, or a single entry.
 */
export function readPastedJson(text: string): Found | NotFound {
  const values = jsonValuesIn(text.replace(/[“”„]/g, '"'));
  if ('problem' in values) return values;
  const found: Found = { servers: [] };
  for (const { key, value } of values) collect(found, key, value, 0);
  if (found.servers.length > 0) return found;
  const [first] = values;
  if (!first) return { problem: t('This is not valid JSON.') };
  return { problem: values.some(({ isIncomplete }) => isIncomplete === true) ? incomplete() : whyNot(first.value) };
}

function collect(found: Found, key: string | undefined, value: unknown, depth: number): void {
  if (Array.isArray(value)) {
    for (const raw of value as unknown[]) if (isEntry(raw)) found.servers.push(namedEntry(undefined, raw));
    return;
  }
  if (!isObject(value) || depth > maxNesting) return;
  if (isEntry(value)) {
    found.servers.push(namedEntry(key, value));
    found.inputs ??= value['inputs'];
    return;
  }
  if (value['inputs'] !== undefined) found.inputs ??= value['inputs'];
  const own = containers.filter((name) => Object.hasOwn(value, name));
  if (key !== undefined && containers.includes(key) && own.length === 0) addAll(found, value);
  else if (own.length > 0) for (const name of own) collect(found, name, value[name], depth + 1);
  else if (Object.values(value).some(isEntry)) addAll(found, value);
  else
    for (const [name, member] of Object.entries(value)) if (isObject(member)) collect(found, name, member, depth + 1);
}

/** Adds every member as a server, even one that cannot be used, so that it is reported. */
function addAll(found: Found, servers: Record<string, unknown>): void {
  for (const [name, raw] of Object.entries(servers))
    found.servers.push(isEntry(raw) ? namedEntry(name, raw) : { name, raw });
}

function namedEntry(key: string | undefined, raw: Record<string, unknown>): FoundServer {
  const own = raw['name'];
  const fields = Object.fromEntries(Object.entries(raw).filter(([field]) => !notOfServer.has(field)));
  const name = key !== undefined && !containers.includes(key) ? key : typeof own === 'string' ? own.trim() : '';
  return name === '' ? { raw: fields } : { name, raw: fields };
}

function incomplete(): string {
  return t('This JSON is incomplete: its end is missing.');
}

function whyNot(value: unknown): string {
  if (!isObject(value)) return t('This JSON is not an object with servers.');
  const keys = Object.keys(value).slice(0, 3);
  return keys.length === 0
    ? t('This JSON object is empty.')
    : t(
        'This JSON has no server: an entry needs a "command" or a "url". The first fields are: {0}.',
        keys.map((key) => visibleLine(key, 40)).join(', '),
      );
}

/** Strings, comments and brackets. An unclosed string or comment extends to the end, so that no part is read twice. */
const jsonTokens = /"(?:[^"\\]|\\(?:[^]|$))*(?:"|$)|\/\/[^\n]*|\/\*(?:[^]*?\*\/|[^]*$)|[[{]|[\]}]/g;

interface Snippet {
  /** The key that precedes the value, if the text is a part of a configuration. */
  key?: string;
  value: unknown;
  /** Whether closing brackets were added, because the text ends within the value. */
  isIncomplete?: true;
}

/** Finds every object or list in the text, in linear time. */
function jsonValuesIn(text: string): Snippet[] | NotFound {
  const found: Snippet[] = [];
  const start = /[{[]/g;
  let others = 0;
  for (let match = start.exec(text); match && found.length + others < maxSnippets; match = start.exec(text)) {
    const end = endOfValue(text, match.index);
    // Brackets in prose, such as [this link](…), are not JSON.
    const snippet = valueOf(end === undefined ? closed(text.slice(match.index)) : text.slice(match.index, end));
    if (snippet === undefined) {
      if (match[0] === '{')
        return { problem: end === undefined ? incomplete() : errorIn(text.slice(match.index, end)) };
      others++;
      continue;
    }
    const key = /"((?:[^"\\\n]|\\.){1,200})"\s*:\s*$/.exec(
      text.slice(Math.max(0, match.index - 250), match.index),
    )?.[1];
    found.push({
      ...(key === undefined ? {} : { key }),
      ...snippet,
      ...(end === undefined ? { isIncomplete: true as const } : {}),
    });
    if (end === undefined) break;
    start.lastIndex = end;
  }
  return found;
}

function valueOf(text: string): { value: unknown } | undefined {
  const errors: { error: number; offset: number; length: number }[] = [];
  try {
    const tree = parseJsonTree(text, errors, { allowTrailingComma: true });
    if (!tree || errors.length > 0 || findTooDeep(tree)) return undefined;
    return { value: plainValue(tree) };
  } catch {
    // The text has too many values, or is nested deeper than the stack allows.
    return undefined;
  }
}

function errorIn(text: string): string {
  const errors: { error: number; offset: number; length: number }[] = [];
  try {
    parseJsonTree(text, errors, { allowTrailingComma: true });
  } catch {
    return t('This JSON has too many values, or is nested too deeply.');
  }
  const before = text.slice(0, errors[0]?.offset ?? 0).trimEnd();
  const tail = visibleLine(before.slice(-30).replace(/\s+/g, ' '), 30);
  return t('This JSON has an error after {0}', tail);
}

/** The position after the bracket that closes the one at `from`. Undefined if there is none. */
function endOfValue(text: string, from: number): number | undefined {
  const part = new RegExp(jsonTokens);
  part.lastIndex = from;
  let depth = 0;
  for (let match = part.exec(text); match; match = part.exec(text)) {
    if (match[0] === '{' || match[0] === '[') depth++;
    else if ((match[0] === '}' || match[0] === ']') && --depth === 0) return part.lastIndex;
  }
  return undefined;
}

/** The text with the closing brackets that are missing at its end, because a selection often leaves them out. */
function closed(text: string): string {
  const open: string[] = [];
  const part = new RegExp(jsonTokens);
  for (const [token] of text.matchAll(part)) {
    if (token === '{' || token === '[') open.push(token === '{' ? '}' : ']');
    else if (token === '}' || token === ']') open.pop();
  }
  return open.length > 100 ? text : text + `\n${open.reverse().join('')}`;
}
