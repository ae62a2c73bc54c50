/**
 * Reads the servers of a configuration text or value. Good entries and problems come out side by side: one mistake never
 * hides the rest, and each is reported at its place. The shapes of other hosts are understood on the way in
 * (`mcpServers`, `serverUrl`, `streamableHttp`, `disabled`); nothing is ever written back.
 */
import type { Node, ParseError } from 'jsonc-parser';
import { getNodeValue, parseTree, printParseErrorCode } from 'jsonc-parser';
import { isObject } from '../base/guards.js';
import { visibleLine } from '../base/hostileText.js';
import type { ConfigProblem, ConfigSource, InputDefinition, ParsedConfig, ParsedServer, SourcePosition } from './serverDefinition.js';
import { readServer } from './readServer.js';

/** Larger files are no configuration. */
const maxTextLength = 5 * 1024 * 1024;

/** Names that mean something to JavaScript objects; refused so that nothing above has to think of them. */
const reservedNames: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

const nowhere: SourcePosition = { line: 0, character: 0, endLine: 0, endCharacter: 0 };

/** Parses a file: JSON with comments, trailing commas and a byte order mark. Never throws. */
export function parseConfigText(text: string, source: ConfigSource): ParsedConfig {
  if (text.length > maxTextLength) return broken(`${source.label} is larger than 5 MiB and was not read.`, nowhere);
  // A byte order mark counts as a character of the first line for editors, so it is blanked, not cut.
  const clean = text.charCodeAt(0) === 0xfeff ? ` ${text.slice(1)}` : text;
  if (clean.trim() === '') return { servers: [], inputs: [], problems: [], isBroken: false };
  const positions = new Positions(clean);
  const errors: ParseError[] = [];
  let root: Node | undefined;
  try {
    root = parseTree(clean, errors, { allowTrailingComma: true });
  } catch {
    // The parser recurses; thousands of nested brackets exhaust the stack.
    return broken(`${source.label} is nested too deeply to be read.`, nowhere);
  }
  const [error] = errors;
  if (error || !root) {
    const position = error ? positions.of(error.offset, Math.max(error.length, 1)) : nowhere;
    return broken(`${source.label} is not valid JSON: ${error ? words(printParseErrorCode(error.error)) : 'it is empty'}. The last good state of its servers stays.`, position);
  }
  return readRoot(asEntry(root, positions), source);
}

/** Reads an already parsed value, as VS Code gives settings. Positions are all zero. Never throws. */
export function parseConfigValue(value: unknown, source: ConfigSource): ParsedConfig {
  if (value === undefined || value === null) return { servers: [], inputs: [], problems: [], isBroken: false };
  const plain: Entry = { value, position: nowhere, member: (name) => memberOf(value, name), members: () => membersOf(value) };
  // The setting is the map of servers itself.
  const problems: ConfigProblem[] = [];
  if (!isObject(value)) return broken(`${source.label}: expected an object of servers by name.`, nowhere);
  return { servers: readServers(plain, problems), inputs: [], problems, isBroken: false };
}

/** A value with the place where it stands. */
interface Entry {
  value: unknown;
  position: SourcePosition;
  member(name: string): Entry | undefined;
  /** Members in order, with the place of their key; duplicates included. */
  members(): { name: string; keyPosition: SourcePosition; entry: Entry }[];
}

function readRoot(root: Entry, source: ConfigSource): ParsedConfig {
  if (!isObject(root.value)) return broken(`${source.label}: expected an object with "servers".`, root.position);
  const problems: ConfigProblem[] = [];
  const servers: ParsedServer[] = [];
  // Either key is understood in either file: people copy between hosts.
  const maps = ['servers', 'mcpServers'].map((key) => root.member(key)).filter((entry) => entry !== undefined);
  for (const map of maps) {
    if (isObject(map.value)) servers.push(...readServers(map, problems));
    else problems.push({ severity: 'error', message: 'Expected an object of servers by name.', position: map.position });
  }
  if (maps.length === 0 && root.members().length > 0) {
    problems.push({ severity: 'warning', message: `Expected "${source.kind === 'portable' ? 'mcpServers' : 'servers'}" with an object of servers by name.`, position: root.position });
  }
  return { servers, inputs: readInputs(root.member('inputs'), problems), problems, isBroken: false };
}

function readServers(map: Entry, problems: ConfigProblem[]): ParsedServer[] {
  const servers: ParsedServer[] = [];
  const seen = new Set<string>();
  for (const { name, keyPosition, entry } of map.members()) {
    const report = (severity: 'error' | 'warning', message: string, field?: string) =>
      problems.push({ severity, message, position: (field === undefined ? undefined : entry.member(field)?.position) ?? keyPosition, server: name });
    if (name.trim() === '' || name.length > 200) {
      report('error', 'A server needs a name of 1 to 200 characters.');
      continue;
    }
    if (reservedNames.has(name)) {
      report('error', `"${name}" cannot be the name of a server. Choose another.`);
      continue;
    }
    if (seen.has(name)) {
      report('error', `The name "${visibleLine(name, 60)}" is used twice in this file; the first entry counts. Rename one.`);
      continue;
    }
    seen.add(name);
    const server = readServer(entry.value, report);
    if (server) servers.push({ name, position: keyPosition, ...server });
  }
  return servers;
}

function readInputs(inputs: Entry | undefined, problems: ConfigProblem[]): InputDefinition[] {
  if (!inputs) return [];
  if (!Array.isArray(inputs.value)) {
    problems.push({ severity: 'error', message: '"inputs" has to be a list.', position: inputs.position });
    return [];
  }
  const read: InputDefinition[] = [];
  for (const { entry } of inputs.members()) {
    const input = readInput(entry.value);
    if (typeof input === 'string') problems.push({ severity: 'error', message: input, position: entry.position });
    else if (read.some(({ id }) => id === input.id)) problems.push({ severity: 'error', message: `The input "${visibleLine(input.id, 60)}" is defined twice.`, position: entry.position });
    else read.push(input);
  }
  return read;
}

function readInput(value: unknown): InputDefinition | string {
  if (!isObject(value)) return 'An input is an object with "id" and "type".';
  const { id, type, description, password, options, command, args } = value;
  if (typeof id !== 'string' || id === '') return 'An input needs an "id".';
  const name = visibleLine(id, 60);
  const common = {
    id,
    ...(typeof description === 'string' ? { description } : {}),
    ...(typeof value['default'] === 'string' ? { default: value['default'] } : {}),
  };
  switch (type) {
    case 'promptString':
      return { ...common, type, ...(password === true ? { password } : {}) };
    case 'pickString': {
      const choices = Array.isArray(options) ? options.map(readOption).filter((option) => option !== undefined) : [];
      return choices.length === 0 ? `The input "${name}" needs "options" to pick from.` : { ...common, type, options: choices };
    }
    case 'command':
      return typeof command === 'string' ? { ...common, type, command, args } : `The input "${name}" needs a "command".`;
    default:
      return `The input "${name}" has the unknown type ${visibleLine(JSON.stringify(type) ?? 'none', 40)}; known are promptString, pickString and command.`;
  }
}

function readOption(option: unknown): { label: string; value: string } | undefined {
  if (typeof option === 'string') return { label: option, value: option };
  if (!isObject(option) || typeof option['value'] !== 'string') return undefined;
  return { label: typeof option['label'] === 'string' ? option['label'] : option['value'], value: option['value'] };
}

function broken(message: string, position: SourcePosition): ParsedConfig {
  return { servers: [], inputs: [], problems: [{ severity: 'error', message, position }], isBroken: true };
}

/** `PropertyNameExpected` as "property name expected". */
function words(code: string): string {
  return code.replace(/(?!^)([A-Z])/g, ' $1').toLowerCase();
}

/** Offsets to lines, by one scan and then by search. */
class Positions {
  private readonly lineStarts: number[] = [0];

  constructor(text: string) {
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) this.lineStarts.push(at + 1);
  }

  of(offset: number, length: number): SourcePosition {
    const start = this.at(offset);
    const end = this.at(offset + length);
    return { line: start.line, character: start.character, endLine: end.line, endCharacter: end.character };
  }

  private at(offset: number): { line: number; character: number } {
    let low = 0;
    let high = this.lineStarts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.lineStarts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low, character: offset - (this.lineStarts[low] ?? 0) };
  }
}

function asEntry(node: Node, positions: Positions): Entry {
  const members = () => {
    if (node.type === 'array') return (node.children ?? []).map((child, i) => ({ name: String(i), keyPosition: positions.of(child.offset, child.length), entry: asEntry(child, positions) }));
    return (node.type === 'object' ? (node.children ?? []) : []).flatMap(({ children }) => {
      const [key, value] = children ?? [];
      if (!key || !value) return [];
      return [{ name: String(key.value), keyPosition: positions.of(key.offset, key.length), entry: asEntry(value, positions) }];
    });
  };
  return {
    value: valueOf(node),
    position: positions.of(node.offset, node.length),
    member: (name) => members().find((member) => member.name === name)?.entry,
    members,
  };
}

/** Own properties only: a key named `__proto__` becomes data, not a prototype. */
function valueOf(node: Node): unknown {
  if (node.type === 'array') return (node.children ?? []).map(valueOf);
  if (node.type !== 'object') return getNodeValue(node);
  const entries = (node.children ?? []).flatMap(({ children }): [string, unknown][] => {
    const [key, value] = children ?? [];
    return key && value ? [[String(key.value), valueOf(value)]] : [];
  });
  return Object.fromEntries(entries);
}

function memberOf(value: unknown, name: string): Entry | undefined {
  return membersOf(value).find((member) => member.name === name)?.entry;
}

function membersOf(value: unknown): { name: string; keyPosition: SourcePosition; entry: Entry }[] {
  if (!isObject(value)) return [];
  return Object.entries(value).map(([name, member]) => ({
    name,
    keyPosition: nowhere,
    entry: { value: member, position: nowhere, member: (inner) => memberOf(member, inner), members: () => membersOf(member) },
  }));
}
