import { isObject } from '../../base/guards.js';
import { visibleLine, visibleText } from '../../base/hostileText.js';
import { listKinds, testEras } from '../testModel.js';
import { readYaml } from '../yamlTree.js';
import type { CursorPlace } from './cursorPlace.js';
import { cursorPlace } from './cursorPlace.js';
import type { LiveServers, LiveServer } from './liveServer.js';
import { propertiesOf, requiredOf, schemaAt } from './liveServer.js';
import { keysOf, placeOf } from './testKeys.js';

/** One suggestion. */
export interface CompletionItem {
  label: string;
  /** The text that replaces the typed part. */
  insert: string;
  kind: 'key' | 'value' | 'tool' | 'prompt' | 'resource' | 'server';
  /** A short text beside the label. */
  detail?: string;
  /** A description; text of a server or of MCP Deck, not Markdown. */
  description?: string;
}

/** Maximum number of suggestions. */
const maxItems = 500;

/**
 * The suggestions at a position, with the length of the typed part that they replace.
 * @param line the line; lines and characters begin at 0.
 */
export function completionsAt(
  text: string,
  { line, character }: { line: number; character: number },
  servers: LiveServers,
): { items: CompletionItem[]; replaced: number } {
  const lines = text.split(/\r?\n/);
  const place = cursorPlace(lines, line, character);
  const live = serverOf(lines, servers);
  const items = place.key === undefined ? keys(place, lines, line, live) : values(place, lines, line, live, servers);
  return { items: items.slice(0, maxItems), replaced: place.prefix.length };
}

function keys(
  { path }: CursorPlace,
  lines: readonly string[],
  line: number,
  live: LiveServer | undefined,
): CompletionItem[] {
  const own = placeOf(path);
  const tool = live?.tools.find(({ name }) => name === valueNear(lines, line, 'call'));
  if (own) {
    const paths = own === 'expect' && tool?.outputSchema ? pathsOf(tool.outputSchema) : [];
    const known = Object.entries(keysOf(own)).map(([key, description]) => keyItem(key, { description }));
    return [...known, ...paths.map((key) => keyItem(`"${key}"`, { detail: tool?.name ?? '' }))];
  }
  const structured = path.lastIndexOf('structured');
  if (tool && structured > 0 && path[structured - 1] === 'expect')
    return schemaKeys(schemaAt(tool.outputSchema, path.slice(structured + 1)));
  const given = path.indexOf('arguments');
  if (given < 0) return [];
  if (tool) return schemaKeys(schemaAt(tool.inputSchema, path.slice(given + 1)));
  const prompt = live?.prompts.find(({ name }) => name === valueNear(lines, line, 'get'));
  return (prompt?.arguments ?? []).map(({ name, description }) =>
    keyItem(name, description === undefined ? {} : { description }),
  );
}

function values(
  { path, key = '' }: CursorPlace,
  lines: readonly string[],
  line: number,
  live: LiveServer | undefined,
  servers: LiveServers,
): CompletionItem[] {
  const place = placeOf(path);
  if (place === undefined) {
    const tool = live?.tools.find(({ name }) => name === valueNear(lines, line, 'call'));
    const given = path.indexOf('arguments');
    return tool && given >= 0 ? schemaValues(schemaAt(tool.inputSchema, [...path.slice(given + 1), key])) : [];
  }
  switch (`${place} ${key}`) {
    case 'file server':
      return servers.names.map((name) => ({ label: visibleLine(name, 60), insert: plain(name), kind: 'server' }));
    case 'file protocol':
      return testEras.map(value);
    case 'case call':
    case 'step call':
      return (live?.tools ?? []).map(({ name, title, description }) => ({
        ...named(name, 'tool', description),
        ...(title === undefined ? {} : { detail: visibleLine(title, 60) }),
      }));
    case 'case get':
    case 'step get':
    case 'complete prompt':
      return (live?.prompts ?? []).map(({ name, description }) => named(name, 'prompt', description));
    case 'case read':
    case 'step read':
      return (live?.resources ?? []).map(({ uri, description }) => named(uri, 'resource', description));
    case 'case list':
    case 'step list':
      return listKinds.map(value);
    case 'expect isError':
    case 'expect snapshot':
    case 'case skip':
      return ['true', 'false'].map(value);
    case 'expect schema':
      return [value('output')];
    case 'expect asked':
      return ['elicitation', 'sampling'].map(value);
    case 'answers elicitation':
      return ['decline', 'cancel'].map(value);
    case 'matcher type':
      return ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'].map(value);
    default:
      return [];
  }
}

/** The running server of the file. The file need not be valid, so only the line with the server's name is read. */
function serverOf(lines: readonly string[], { find }: LiveServers): LiveServer | undefined {
  const line = lines.find((one) => one.startsWith('server:'));
  const { root } = readYaml(line ?? '');
  const name = root?.entries?.[0]?.node.value;
  return typeof name === 'string' ? find(name) : undefined;
}

/** The value of a key in the step at the cursor. The step begins at the nearest dash with less indentation. */
function valueNear(lines: readonly string[], line: number, key: string): string | undefined {
  const pattern = new RegExp(`(?:^|[\\s{,-])${key}:\\s*(?:"([^"]+)"|'([^']+)'|([^\\s,}#][^,}#]*))`);
  const read = (at: number) => {
    const [, double, single, bare] = pattern.exec(lines[at] ?? '') ?? [];
    return double ?? single ?? bare?.trim();
  };
  const indentOf = (at: number) => (lines[at] ?? '').search(/\S/);
  let start = line;
  const own = Math.max(indentOf(line), 0);
  const isBlank = indentOf(line) < 0;
  for (; start > 0; start--) {
    const text = lines[start] ?? '';
    if (/^\s*-\s/.test(text) && (isBlank || start === line || indentOf(start) < own)) break;
  }
  const depth = indentOf(start);
  for (let at = start; at < lines.length; at++) {
    if (at > start && indentOf(at) >= 0 && indentOf(at) <= depth) return undefined;
    const found = read(at);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The paths of single values in structured content. */
function pathsOf(schema: unknown): string[] {
  const names = Object.keys(propertiesOf(schema)).slice(0, 100);
  return names.map((name) =>
    /^[\p{L}_][\p{L}\p{N}_]*$/u.test(name)
      ? `$.structuredContent.${name}`
      : `$.structuredContent['${name.replace(/['\\]/g, '\\$&')}']`,
  );
}

function schemaKeys(schema: unknown): CompletionItem[] {
  const required = requiredOf(schema);
  return Object.entries(propertiesOf(schema)).map(([name, property]) => {
    const { type, description } = isObject(property) ? property : {};
    const detail = [typeof type === 'string' ? type : '', required.includes(name) ? '*' : ''].join('');
    return keyItem(name, {
      ...(detail === '' ? {} : { detail: visibleLine(detail, 40) }),
      ...(typeof description === 'string' ? { description } : {}),
    });
  });
}

function schemaValues(schema: unknown): CompletionItem[] {
  const { enum: choices, type } = isObject(schema) ? schema : {};
  if (type === 'boolean') return ['true', 'false'].map(value);
  if (!Array.isArray(choices)) return [];
  return choices.map((choice: unknown) => {
    const text = typeof choice === 'string' ? choice : JSON.stringify(choice);
    return { label: visibleLine(text, 80), insert: typeof choice === 'string' ? plain(text) : text, kind: 'value' };
  });
}

function keyItem(key: string, { detail, description }: Pick<CompletionItem, 'detail' | 'description'>): CompletionItem {
  return {
    label: visibleLine(key, 80),
    insert: `${key.startsWith('"') ? key : plain(key)}: `,
    kind: 'key',
    ...(detail === undefined ? {} : { detail }),
    ...(description === undefined ? {} : { description: visibleText(description, 2_000) }),
  };
}

function named(name: string, kind: CompletionItem['kind'], description?: string): CompletionItem {
  return {
    label: visibleLine(name, 80),
    insert: plain(name),
    kind,
    ...(description === undefined ? {} : { description: visibleText(description, 2_000) }),
  };
}

function value(text: string): CompletionItem {
  return { label: text, insert: text, kind: 'value' };
}

/** A text as a YAML scalar: in quotes if it could be read as something else. */
function plain(text: string): string {
  return /^[A-Za-z_][\w./-]*$/.test(text) && !/^(?:true|false|null|yes|no|on|off|nan|y|n)$/i.test(text)
    ? text
    : JSON.stringify(text);
}
