/**
 * Reads `.vscode/mcp-deck.json`: named sets of servers and tools. A preset can only turn servers and tools off. A
 * mistake in the file turns more of them off, and is reported at its position. If a preset cannot be read completely,
 * only the tools that it lists are on.
 */
import { t } from '@vscode/l10n';
import type { Node, ParseError } from 'jsonc-parser';
import { parseTree, printParseErrorCode } from 'jsonc-parser';
import { visibleLine } from '../base/hostileText.js';
import { fitsWildcard, isWildcard, maxSlowLength, maxSlowPatterns, slowPatterns } from '../base/wildcard.js';
import { findTooDeep, LinePositions, membersOf } from '../config/configNodes.js';
import type { ConfigProblem, SourcePosition } from '../config/serverDefinition.js';
import type { ToolOverride } from './toolOverrides.js';
import { readOverrides } from './toolOverrides.js';
import type { ServerEntry } from '../registry/serverEntry.js';

/** A named set of servers and tools: those that are on while the preset is active. */
export interface Preset {
  name: string;
  description?: string;
  /** The servers that are on: names, or patterns with `*` and `?`. */
  servers: readonly string[];
  /**
   * The tools that are on, by the name or pattern of their server. If a server matches no entry, all of its tools are
   * on.
   */
  tools: Readonly<Record<string, readonly string[]>>;
}

/** The list of tools for a server in a preset. */
interface ToolList {
  preset: string;
  /** Name or pattern, as written. */
  server: string;
  position: SourcePosition;
}

export interface PresetFile {
  presets: readonly Preset[];
  lists: readonly ToolList[];
  /** How tools are shown to agents. */
  overrides: readonly ToolOverride[];
  problems: readonly ConfigProblem[];
  /** Whether the whole text could not be parsed. The last valid presets are then kept. */
  isBroken: boolean;
}

/** Maximum length of a preset file, in UTF-16 code units. A longer file is not read. */
const maxLength = 1_000_000;
/** Maximum number of presets. */
const maxPresets = 200;
/** Maximum number of names in one list, because each tool is compared with every name. */
const maxNames = 2_000;
/** Maximum number of patterns with `*` or `?` in a file, because each tool may be compared with each of them. */
const maxPatterns = 2_000;
/** Maximum length of a name or pattern, in UTF-16 code units. */
const maxNameLength = 500;
/**
 * Maximum work for the comparison of all tool lists with the servers of their presets. The work for one pair is the
 * product of the two lengths, because patterns with `?` can need that many steps.
 */
const maxWork = 100_000_000;

/**
 * Reads the text of the file. Never throws: mistakes are reported as problems with their positions, and can only
 * restrict a preset.
 */
export function readPresets(text: string): PresetFile {
  const clean = text.startsWith('\ufeff') ? text.slice(1) : text;
  const lines = new LinePositions(clean);
  const problems: ConfigProblem[] = [];
  const report = (severity: ConfigProblem['severity'], message: string, place: { offset: number; length: number }) =>
    void problems.push({ severity, message, position: lines.of(place) });
  const start = { offset: 0, length: 1 };
  if (clean.length > maxLength) return broken(t('The file is larger than 1 MB and was not read.'));
  const errors: ParseError[] = [];
  let root: Node | undefined;
  try {
    root = parseTree(clean, errors, { allowTrailingComma: true, allowEmptyContent: true });
  } catch {
    return broken(t('The file is nested too deeply to be read.'));
  }
  const [error] = errors;
  if (error)
    return broken(
      t(
        'The file is not valid JSON: {0}. MCP Deck keeps the presets of the last valid version.',
        printParseErrorCode(error.error),
      ),
      error,
    );
  if (!root) return { presets: [], lists: [], overrides: [], problems, isBroken: false };
  if (root.type !== 'object') return broken(t('Expected an object with "presets".'), root);
  if (findTooDeep(root)) return broken(t('The file is nested too deeply to be read.'), root);
  const presets: Preset[] = [];
  const lists: ToolList[] = [];
  const overrides: ToolOverride[] = [];
  for (const { name, key, value } of membersOf(root)) {
    if (name === '$schema') continue;
    if (name === 'gateway') overrides.push(...readOverrides(value, report));
    else if (name !== 'presets')
      report('warning', t('"{0}" is not supported here. Expected "presets" or "gateway".', visibleLine(name, 60)), key);
    else if (value.type !== 'object') report('error', t('"presets" must be an object of presets by name.'), value);
    else
      presets.push(
        ...readAll(value, {
          report,
          list: (preset, server, place) => void lists.push({ preset, server, position: lines.of(place) }),
          fits: boundedComparison(),
          patternProblem: patternLimits(),
        }),
      );
  }
  return { presets, lists, overrides, problems, isBroken: false };

  function broken(message: string, place: { offset: number; length: number } = start): PresetFile {
    report('error', message, place);
    return { presets: [], lists: [], overrides: [], problems, isBroken: true };
  }
}

type Report = (severity: ConfigProblem['severity'], message: string, place: Node) => void;

/** The functions that collect problems and tool lists. */
interface Reporting {
  report: Report;
  list: (preset: string, server: string, place: Node) => void;
  /** Whether a pattern matches a name. Undefined once the comparisons of this file have reached `maxWork`. */
  fits: (pattern: string, name: string) => boolean | undefined;
  /** Why a name exceeds the limits for the patterns of this file. Undefined if it does not. */
  patternProblem: (name: string) => string | undefined;
}

function readAll(object: Node, reporting: Reporting): Preset[] {
  const { report } = reporting;
  const presets: Preset[] = [];
  for (const { name, key, value } of membersOf(object)) {
    if (name.trim() === '' || name.length > 100)
      report('error', t('A preset needs a name of 1 to 100 characters.'), key);
    else if (presets.length === maxPresets) {
      report('error', t('There are more than {0} presets. This one and those after it are not used.', maxPresets), key);
      break;
    } else if (presets.some((other) => other.name === name))
      report(
        'error',
        t('The preset "{0}" is defined twice. The first definition is used.', visibleLine(name, 60)),
        key,
      );
    else if (value.type !== 'object')
      report('error', t('A preset is an object with "servers", and with "tools" to turn on only some tools.'), value);
    else presets.push(readPreset(name, value, reporting));
  }
  return presets;
}

function readPreset(name: string, object: Node, reporting: Reporting): Preset {
  const { report, list, fits, patternProblem } = reporting;
  let description: string | undefined;
  let servers: string[] | undefined;
  const tools: [string, string[]][] = [];
  const keys: { server: string; key: Node }[] = [];
  let isWhole = true;
  for (const { name: field, key, value } of membersOf(object)) {
    switch (field) {
      case 'description':
        if (typeof value.value === 'string') description = value.value;
        else report('warning', t('"description" must be a string.'), value);
        break;
      case 'servers':
        servers = texts(value, t('"servers" must be a list of names.'), reporting);
        break;
      case 'tools':
        if (value.type !== 'object') {
          report('error', t('"tools" must be an object with a list of names for each server. No tool is on.'), value);
          isWhole = false;
          break;
        }
        for (const { name: server, key: place, value: names } of membersOf(value)) {
          if (tools.length === maxNames) {
            report(
              'error',
              t(
                '"tools" has more than {0} servers. Until this is corrected, a tool is on only if the preset lists it among the first {0}.',
                maxNames,
              ),
              place,
            );
            isWhole = false;
            break;
          }
          const problem = nameProblem(server, patternProblem);
          if (problem !== undefined) {
            const effect = t('Until this is corrected, a tool is on only if the preset lists it.');
            report('error', `${problem} ${effect}`, place);
            isWhole = false;
            continue;
          }
          tools.push([
            server,
            texts(names, t('Expected a list of tool names. All tools of this server are off.'), reporting),
          ]);
          keys.push({ server, key: place });
          list(name, server, place);
        }
        break;
      default:
        report(
          'error',
          t(
            '"{0}" is not a field of a preset. Use description, servers, and tools. Until this is corrected, a tool is on only if the preset lists it.',
            visibleLine(field, 60),
          ),
          key,
        );
        isWhole = false;
    }
  }
  // If the preset lists only tools, the servers of these tools are on. If a part of the preset is unreadable, that part
  // may contain the list of servers, so no server is on.
  if (servers === undefined) {
    servers = isWhole ? tools.map(([server]) => server) : [];
    if (servers.length === 0)
      report('warning', t('This preset lists no server, so all servers are turned off while it is active.'), object);
  }
  const meant = servers;
  const exact = new Set(meant);
  for (const { server, key } of keys) {
    if (exact.has(server) || meant.some((pattern) => fits(pattern, server) || fits(server, pattern))) continue;
    // The name is misspelled. The list was meant for a listed server, whose tools would otherwise all be on.
    report(
      'error',
      t(
        '"{0}" is not one of the servers of this preset. Until this is corrected, a tool is on only if the preset lists it.',
        visibleLine(server, 60),
      ),
      key,
    );
    isWhole = false;
  }
  // The unreadable part may have restricted any server, so a server without a list has no tools.
  if (!isWhole) tools.push(['*', []]);
  return { name, ...(description === undefined ? {} : { description }), servers, tools: Object.fromEntries(tools) };
}

function texts(node: Node, message: string, { report, patternProblem }: Reporting): string[] {
  if (node.type !== 'array') {
    report('error', message, node);
    return [];
  }
  const items = node.children ?? [];
  const [first] = items.slice(maxNames);
  if (first) report('error', t('The list has more than {0} names. Only the first {0} are used.', maxNames), first);
  return items.slice(0, maxNames).flatMap((item) => {
    const value: unknown = item.value;
    const problem = nameProblem(value, patternProblem);
    if (problem === undefined) return [value as string];
    report('error', problem, item);
    return [];
  });
}

/** Why a value cannot be a name or pattern; undefined if it can. */
function nameProblem(value: unknown, patternProblem: Reporting['patternProblem']): string | undefined {
  if (typeof value !== 'string' || value === '' || value.length > maxNameLength)
    return t('Expected a name as a string with 1 to {0} characters.', maxNameLength);
  return patternProblem(value);
}

function patternLimits(): Reporting['patternProblem'] {
  const isAllowed = slowPatterns();
  let left = maxPatterns;
  return (name) => {
    if (isWildcard(name) && left-- <= 0) return t('At most {0} names of the file can contain "*" or "?".', maxPatterns);
    if (isAllowed(name)) return undefined;
    return t(
      'At most {0} names of the file can contain "?", each with at most {1} characters.',
      maxSlowPatterns,
      maxSlowLength,
    );
  };
}

function boundedComparison(): Reporting['fits'] {
  let left = maxWork;
  return (pattern, name) => {
    if (!isWildcard(pattern)) return pattern === name;
    left -= pattern.length * name.length;
    return left < 0 ? undefined : fitsWildcard(pattern, name);
  };
}

/**
 * Whether everything that is on under `preset` is also on under `other`, for any servers and tools; undefined means no
 * preset. False if this is not certain, because patterns are compared as text.
 */
export function isWithin(preset: Preset | undefined, other: Preset | undefined): boolean {
  if (!other || preset?.servers.length === 0) return true;
  if (!preset || !isPart(preset.servers, other.servers)) return false;
  // An additional tool list in `preset` may turn on more tools, and a server without a list has all tools on. So both
  // presets must have lists for the same names.
  const names = Object.keys(other.tools);
  if (names.length === 0) return true;
  return (
    names.length === Object.keys(preset.tools).length &&
    names.every((name) => Object.hasOwn(preset.tools, name) && isPart(preset.tools[name], other.tools[name]))
  );
}

function isPart(patterns: readonly string[] = [], all: readonly string[] = []): boolean {
  const known = new Set(all);
  return known.has('*') || patterns.every((pattern) => known.has(pattern));
}

/**
 * The names or patterns of tool lists that match no existing server. They have no effect and may be misspelled. A
 * pattern that was not compared with all servers, because there are too many, is left out.
 */
export function unmatchedPatterns(
  names: readonly string[],
  servers: readonly Pick<ServerEntry, 'id' | 'name'>[],
): string[] {
  const fits = boundedComparison();
  return names.filter(
    (pattern) =>
      pattern !== '*' && !servers.some(({ id, name }) => fits(pattern, name) !== false || fits(pattern, id) !== false),
  );
}
