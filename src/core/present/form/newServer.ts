import type { ParseError } from 'jsonc-parser';
import { applyEdits, findNodeAtLocation, parseTree } from 'jsonc-parser';
import { t } from '@vscode/l10n';
import type { TextChange } from '../../config/jsonEdit.js';
import { formatJson, insertProperty } from '../../config/jsonEdit.js';

/** The questions of "Add Server…" and the changes that it writes; pure, so that every step can be tested. */

export type NewServerKind = 'command' | 'npm' | 'url';

/** A definition as it is written into a file. */
export type NewDefinition =
  { type: 'stdio'; command: string; args: string[] } | { type: 'http' | 'ws' | 'socket'; url: string };

export type Answer<T> = { value: T } | { problem: string };

/** The definition for a line that the user typed. */
export function readNewServer(kind: NewServerKind, text: string): Answer<NewDefinition> {
  const line = text.trim();
  if (kind === 'url') return readUrl(line);
  const words = splitCommandLine(line);
  if (!words) return { problem: t('A closing quotation mark is missing.') };
  const [first, ...rest] = words;
  if (first === undefined)
    return { problem: kind === 'npm' ? t('Enter the name of an npm package.') : t('Enter a command.') };
  if (kind === 'command') return { value: { type: 'stdio', command: first, args: rest } };
  if (!/^(?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*(?:@[^\s/]+)?$/i.test(first))
    return { problem: t('"{0}" is not the name of an npm package.', first) };
  // -y: nothing could answer npx's question whether to install the package.
  return { value: { type: 'stdio', command: 'npx', args: ['-y', first, ...rest] } };
}

function readUrl(text: string): Answer<NewDefinition> {
  if (text === '') return { problem: t('Enter the address of the server.') };
  const scheme = /^(https?|wss?|unix|pipe):\/\/./i.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined || (/^(?:http|ws)/.test(scheme) && !URL.canParse(text)))
    return { problem: t('An address starts with https://, http://, wss://, unix:///, or pipe:///.') };
  return { value: { type: scheme.startsWith('ws') ? 'ws' : 'http', url: text } };
}

/** True for a socket or pipe whose address does not determine the protocol: a path after `#` means HTTP. */
export function mayBeRawSocket(definition: NewDefinition): definition is Extract<NewDefinition, { url: string }> {
  return definition.type !== 'stdio' && /^(?:unix|pipe):[^#?]*$/i.test(definition.url);
}

/**
 * Splits words as a shell would: quotes group, and a backslash before a quote or a space is removed. Nothing is
 * expanded. Undefined when a quote is not closed.
 */
export function splitCommandLine(line: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let i = 0; i < line.length; i++) {
    const char = line.charAt(i);
    const next = line.charAt(i + 1);
    if (char === '\\' && quote !== "'" && (next === '"' || (quote === undefined && (next === "'" || next === ' ')))) {
      word = (word ?? '') + next;
      i++;
    } else if (quote !== undefined) {
      if (char === quote) quote = undefined;
      else word = (word ?? '') + char;
    } else if (char === '"' || char === "'") {
      quote = char;
      word ??= '';
    } else if (/\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + char;
  }
  if (quote !== undefined) return undefined;
  return word === undefined ? words : [...words, word];
}

/** A short, unused name for the server: `everything` for `@modelcontextprotocol/server-everything`. */
export function suggestName(definition: NewDefinition, taken: ReadonlySet<string>): string {
  const base = plainName(definition.type === 'stdio' ? programOf(definition) : hostOf(definition.url)) || 'server';
  if (!taken.has(base)) return base;
  for (let number = 2; ; number++) if (!taken.has(`${base}-${number}`)) return `${base}-${number}`;
}

const runners = new Set([
  'npx',
  'bunx',
  'pnpx',
  'uvx',
  'uv',
  'pipx',
  'node',
  'python',
  'python3',
  'deno',
  'bun',
  'tsx',
  'run',
  'dlx',
  'docker',
]);

function programOf({ command, args }: { command: string; args: readonly string[] }): string {
  const words = [command, ...args]
    .filter((word) => !word.startsWith('-'))
    .map(
      (word) =>
        word
          .replace(/(.)@[^/]*$/, '$1')
          .split(/[\\/]/)
          .at(-1) ?? '',
    );
  return words.find((word) => !runners.has(word.toLowerCase().replace(/\.(?:exe|cmd)$/, ''))) ?? words[0] ?? '';
}

function hostOf(url: string): string {
  if (/^(?:unix|pipe):/i.test(url)) return socketNameOf(url);
  const labels = URL.canParse(url) ? new URL(url).hostname.split('.') : [];
  return labels.find((label) => !['www', 'mcp', 'api'].includes(label)) ?? '';
}

function socketNameOf(url: string): string {
  const file =
    url
      .replace(/[?#].*$/, '')
      .split('/')
      .at(-1) ?? '';
  return file.replace(/\.sock(?:et)?$/i, '');
}

function plainName(text: string): string {
  const name = text.replace(/\.(?:exe|cmd|bat|sh|py|[cm]?[jt]s)$/i, '').replace(/[^\p{L}\p{N}_.-]+/gu, '-');
  const short = name
    .replace(/^(?:mcp-server-|server-mcp-|server-|mcp-)/i, '')
    .replace(/(?:-mcp-server|-mcp|-server)$/i, '');
  return (short === '' ? name : short).replace(/^[-.]+|[-.]+$/g, '');
}

/** The problem with a name, or undefined. */
export function checkName(name: string, taken: ReadonlySet<string>): string | undefined {
  const trimmed = name.trim();
  if (trimmed === '') return t('Enter a name.');
  if (/[\p{Cc}\p{Cf}]/u.test(trimmed)) return t('A name cannot contain hidden characters.');
  if (['__proto__', 'constructor', 'prototype'].includes(trimmed)) return t('This name cannot be used.');
  return taken.has(trimmed) ? t('A server "{0}" already exists in this location.', trimmed) : undefined;
}

/** The key of the object that contains the servers, for each kind of file. */
export const serversKey = { vscode: 'servers', portable: 'mcpServers' } as const;

/** The names of all entries in a file, including invalid entries. */
export function namesIn(text: string, file: keyof typeof serversKey): Set<string> {
  const tree = parseTree(text, [], { allowTrailingComma: true });
  const servers = tree && findNodeAtLocation(tree, [serversKey[file]]);
  const names = (servers?.type === 'object' ? (servers.children ?? []) : []).map(
    (property) => property.children?.[0]?.value as unknown,
  );
  return new Set(names.filter((name) => typeof name === 'string'));
}

/** The edits that add a server to a file; comments and formatting are kept. A missing file is the empty text. */
export function addServerChanges(
  text: string,
  file: keyof typeof serversKey,
  name: string,
  definition: NewDefinition,
): Answer<TextChange[]> {
  const isEmpty = text.trim() === '';
  if (isEmpty) {
    const content = `${formatJson({ [serversKey[file]]: { [name]: definition } }, '\t')}\n`;
    return { value: [{ offset: 0, length: text.length, content }] };
  }
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true });
  const servers = tree && findNodeAtLocation(tree, [serversKey[file]]);
  if (errors.length > 0 || tree?.type !== 'object')
    return { problem: t('The file is not valid JSON. Correct the file first.') };
  if (servers && servers.type !== 'object')
    return { problem: t('"{0}" in the file is not an object. Correct the file first.', serversKey[file]) };
  return {
    value: servers
      ? insertProperty(text, servers, name, definition)
      : insertProperty(text, tree, serversKey[file], { [name]: definition }),
  };
}

/** The text after the edits, and the position of the new server's key in it. */
export function applyChanges(
  text: string,
  changes: readonly TextChange[],
  file: keyof typeof serversKey,
  name: string,
): { text: string; offset: number } {
  const result = applyEdits(text, [...changes]);
  const tree = parseTree(result, [], { allowTrailingComma: true });
  const value = tree && findNodeAtLocation(tree, [serversKey[file], name]);
  return { text: result, offset: value?.parent?.offset ?? 0 };
}
