/**
 * Reads `.vscode/mcp-deck.json`: named sets of servers and tools. A set only ever narrows what there is; a mistake in it
 * narrows further and is reported at its place: a set that cannot be read whole has only those tools on that it lists.
 */
import type { Node, ParseError } from 'jsonc-parser';
import { parseTree, printParseErrorCode } from 'jsonc-parser';
import { visibleLine } from '../base/hostileText.js';
import { fitsWildcard } from '../base/wildcard.js';
import { findTooDeep, LinePositions, membersOf } from '../config/jsonTree.js';
import type { ConfigProblem, SourcePosition } from '../config/serverDefinition.js';
import type { ServerEntry } from '../registry/serverEntry.js';

/** What is on while a preset is active. */
export interface Preset {
  name: string;
  description?: string;
  /** Names of servers, or patterns with `*` and `?`. */
  servers: readonly string[];
  /** Per server, by name or pattern: the tools that are on. A server that none names has all of its tools. */
  tools: Readonly<Record<string, readonly string[]>>;
}

/** Where tools of a server are listed. */
interface ToolList {
  preset: string;
  /** Name or pattern, as it is written. */
  server: string;
  position: SourcePosition;
}

export interface PresetFile {
  presets: readonly Preset[];
  lists: readonly ToolList[];
  problems: readonly ConfigProblem[];
  /** The text could not be read as a whole: the last good presets stay. */
  isBroken: boolean;
}

/** Larger files are no presets. In UTF-16 units. */
const maxLength = 1_000_000;

export function readPresets(text: string): PresetFile {
  const clean = text.startsWith('\ufeff') ? text.slice(1) : text;
  const lines = new LinePositions(clean);
  const problems: ConfigProblem[] = [];
  const report = (severity: ConfigProblem['severity'], message: string, place: { offset: number; length: number }) =>
    void problems.push({ severity, message, position: lines.of(place) });
  const start = { offset: 0, length: 1 };
  if (clean.length > maxLength) return broken('The file is too large for presets and was not read.');
  const errors: ParseError[] = [];
  let root: Node | undefined;
  try {
    root = parseTree(clean, errors, { allowTrailingComma: true, allowEmptyContent: true });
  } catch {
    return broken('The file is nested too deeply to be read.');
  }
  const [error] = errors;
  if (error)
    return broken(
      `The file is not valid JSON: ${printParseErrorCode(error.error)}. The last good presets stay.`,
      error,
    );
  if (!root) return { presets: [], lists: [], problems, isBroken: false };
  if (root.type !== 'object' || findTooDeep(root)) return broken('Expected an object with "presets".', root);
  const presets: Preset[] = [];
  const lists: ToolList[] = [];
  for (const { name, key, value } of membersOf(root)) {
    if (name === '$schema') continue;
    if (name !== 'presets')
      report('warning', `"${visibleLine(name, 60)}" means nothing here. Expected "presets".`, key);
    else if (value.type !== 'object') report('error', '"presets" has to be an object of presets by name.', value);
    else
      presets.push(
        ...readAll(value, {
          report,
          list: (preset, server, place) => void lists.push({ preset, server, position: lines.of(place) }),
        }),
      );
  }
  return { presets, lists, problems, isBroken: false };

  function broken(message: string, place: { offset: number; length: number } = start): PresetFile {
    report('error', message, place);
    return { presets: [], lists: [], problems, isBroken: true };
  }
}

type Report = (severity: ConfigProblem['severity'], message: string, place: Node) => void;

/** Who is told of what is found. */
interface Told {
  report: Report;
  list: (preset: string, server: string, place: Node) => void;
}

function readAll(object: Node, told: Told): Preset[] {
  const { report } = told;
  const presets: Preset[] = [];
  for (const { name, key, value } of membersOf(object)) {
    if (name.trim() === '' || name.length > 100) report('error', 'A preset needs a name of 1 to 100 characters.', key);
    else if (presets.some((other) => other.name === name))
      report('error', `The preset "${visibleLine(name, 60)}" is written twice; the first one counts.`, key);
    else if (value.type !== 'object')
      report('error', 'A preset is an object with "servers", and "tools" where only some of them are on.', value);
    else presets.push(readPreset(name, value, told));
  }
  return presets;
}

function readPreset(name: string, object: Node, { report, list }: Told): Preset {
  let description: string | undefined;
  let servers: string[] | undefined;
  const tools: [string, string[]][] = [];
  const keys: { server: string; key: Node }[] = [];
  let isWhole = true;
  for (const { name: field, key, value } of membersOf(object)) {
    switch (field) {
      case 'description':
        if (typeof value.value === 'string') description = value.value;
        else report('warning', '"description" has to be a text.', value);
        break;
      case 'servers':
        servers = texts(value, '"servers" has to be a list of names.', report);
        break;
      case 'tools':
        if (value.type !== 'object') {
          report('error', '"tools" has to be an object: per server a list of names. No tool is on.', value);
          isWhole = false;
          break;
        }
        for (const { name: server, key: place, value: names } of membersOf(value)) {
          if (server === '') {
            report('error', 'Expected the name of a server. No tool is on that was meant by this.', place);
            isWhole = false;
            continue;
          }
          tools.push([server, texts(names, 'Expected a list of names of tools. None of this server is on.', report)]);
          keys.push({ server, key: place });
          list(name, server, place);
        }
        break;
      default:
        report(
          'error',
          `"${visibleLine(field, 60)}" is not a field of a preset. Known are description, servers and tools. Until that is corrected, only tools are on that the preset lists by server.`,
          key,
        );
        isWhole = false;
    }
  }
  // Who lists tools alone means their servers, unless these may stand in what could not be read.
  if (servers === undefined) {
    servers = isWhole ? tools.map(([server]) => server) : [];
    if (servers.length === 0)
      report('warning', 'This preset names no server, so nothing is on while it is active.', object);
  }
  const meant = servers;
  for (const { server, key } of keys) {
    if (meant.some((pattern) => fitsWildcard(pattern, server) || fitsWildcard(server, pattern))) continue;
    // A slip in one of the names: the tools were meant for some server that would have all of them on without it.
    report(
      'error',
      `"${visibleLine(server, 60)}" is none of the servers of this preset. Until that is corrected, only tools are on that the preset lists by server.`,
      key,
    );
    isWhole = false;
  }
  // What could not be read may have left out tools of any server: one without a list has none.
  if (!isWhole) tools.push(['*', []]);
  return { name, ...(description === undefined ? {} : { description }), servers, tools: Object.fromEntries(tools) };
}

function texts(node: Node, message: string, report: Report): string[] {
  if (node.type !== 'array') {
    report('error', message, node);
    return [];
  }
  return (node.children ?? []).flatMap((item) => {
    const value: unknown = item.value;
    if (typeof value === 'string' && value !== '') return [value];
    report('error', 'Expected a name, a text.', item);
    return [];
  });
}

/**
 * Whether nothing is on under `preset` that is off under `other`, whatever servers and tools there are; undefined is no
 * preset. False where that is not certain: patterns are compared as they are written.
 */
export function isWithin(preset: Preset | undefined, other: Preset | undefined): boolean {
  if (!other || preset?.servers.length === 0) return true;
  if (!preset || !isPart(preset.servers, other.servers)) return false;
  // Lists add up, so a list more would widen; where there is none, all tools are on.
  const names = Object.keys(other.tools);
  if (names.length === 0) return true;
  return (
    names.length === Object.keys(preset.tools).length &&
    names.every((name) => Object.hasOwn(preset.tools, name) && isPart(preset.tools[name], other.tools[name]))
  );
}

function isPart(patterns: readonly string[] = [], all: readonly string[] = []): boolean {
  return all.includes('*') || patterns.every((pattern) => all.includes(pattern));
}

/**
 * Those names or patterns, of lists of tools, that mean no server there is: perhaps a slip, and then the lists do
 * nothing.
 */
export function unmatchedPatterns(
  names: readonly string[],
  servers: readonly Pick<ServerEntry, 'id' | 'name'>[],
): string[] {
  return names.filter(
    (pattern) =>
      pattern !== '*' && !servers.some(({ id, name }) => fitsWildcard(pattern, name) || fitsWildcard(pattern, id)),
  );
}
