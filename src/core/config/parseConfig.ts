/**
 * Parses the servers of a configuration text or value. Valid entries and problems are returned together: one error does
 * not hide the other entries, and each problem has its position. The formats of other apps are accepted (`mcpServers`,
 * `serverUrl`, `streamableHttp`, `disabled`); nothing is written back.
 *
 * A file is untrusted, so its size and depth are limited, and the parsing time is linear in its size.
 */
import { t } from '@vscode/l10n';
import type { Node, ParseError } from 'jsonc-parser';
import { printParseErrorCode } from 'jsonc-parser';
import { visibleLine } from '../base/hostileText.js';
import { maxConfigBytes, maxEntries } from './configBytes.js';
import { readWellFormed } from './fastJson.js';
import type { ConfigMember } from './configNodes.js';
import { findTooDeep, hasTooManyTokens, LinePositions, maxDepth, membersOf, parseJsonTree } from './configNodes.js';
import { readInputs } from './readInputs.js';
import { readServer } from './readServer.js';
import type {
  ConfigProblem,
  ConfigSource,
  InputDefinition,
  ParsedConfig,
  ParsedServer,
  SourcePosition,
} from './serverDefinition.js';

/**
 * Names with a special meaning for JavaScript objects; they are rejected here, so that other code need not check for
 * them.
 */
const reservedNames: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Both keys are accepted in every file, because users copy entries between apps. */
const serverKeys: ReadonlySet<string> = new Set(['servers', 'mcpServers']);

/** Fields of a server whose value is an object. */
const serverFields: ReadonlySet<string> = new Set(['env', 'headers', 'transport']);

/** Maximum number of problems of one file that are reported. */
const maxProblems = 1_000;

const nowhere: SourcePosition = { line: 0, character: 0, endLine: 0, endCharacter: 0 };

/** Parses a file: JSON with comments, trailing commas and a byte order mark. Never throws. */
export function parseConfigText(text: string, source: ConfigSource): ParsedConfig {
  // Editors do not count a byte order mark as a character of the first line, so it is removed.
  const clean = text.startsWith('\ufeff') ? text.slice(1) : text;
  const tree = readTree(clean, source);
  if (tree === undefined) return { servers: [], inputs: [], problems: [], isBroken: false };
  if ('problem' in tree) return broken(tree.problem, tree.at ? new LinePositions(clean).of(tree.at) : nowhere);
  const lines = new LinePositions(clean);
  return new ConfigReader(source, (node) => lines.of(node), tree.isShallow).readFile(tree.root);
}

/**
 * Parses values that are not text, such as those of VS Code settings: the map of servers, and the list of inputs. All
 * positions are zero. `inputs` must be JSON.
 */
export function parseConfigValue(value: unknown, source: ConfigSource, inputs?: unknown): ParsedConfig {
  if (value === undefined || value === null) return { servers: [], inputs: [], problems: [], isBroken: false };
  let text: string | undefined;
  try {
    // Converts the value to text, so that the same parser handles files and settings.
    text = JSON.stringify(value);
  } catch {
    // The value is not JSON, for example because it contains itself. This is reported below.
  }
  const tree = text === undefined ? undefined : readTree(text, source);
  if (tree === undefined)
    return broken(t('{0} must contain an object whose keys are server names.', source.label), nowhere);
  if ('problem' in tree) return broken(tree.problem, nowhere);
  const list = inputs === undefined ? undefined : readTree(JSON.stringify(inputs) ?? '', source);
  return new ConfigReader(source, () => nowhere, tree.isShallow).readSetting(
    tree.root,
    list && 'root' in list ? [list.root] : [],
  );
}

/** Parses the text to a tree. Undefined if the text contains no value. */
function readTree(
  text: string,
  source: ConfigSource,
):
  | { root: Node; /** True if the depth needs no check. */ isShallow?: boolean }
  | { problem: string; at?: { offset: number; length: number } }
  | undefined {
  if (text.length > maxConfigBytes || Buffer.byteLength(text) > maxConfigBytes)
    return { problem: tooLargeText(source) };
  if (hasTooManyTokens(text))
    return {
      problem: t(
        '{0} has too many values and was not read. MCP Deck keeps the servers of the last valid version.',
        source.label,
      ),
    };
  const wellFormed = readWellFormed(text);
  if (wellFormed) return { root: wellFormed, isShallow: true };
  const errors: ParseError[] = [];
  let root: Node | undefined;
  try {
    root = parseJsonTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  } catch {
    // The parser is recursive, and thousands of nested brackets would exhaust the stack.
    return {
      problem: t(
        '{0} is nested too deeply to be read. MCP Deck keeps the servers of the last valid version.',
        source.label,
      ),
    };
  }
  const [error] = errors;
  if (error) {
    const what = words(printParseErrorCode(error.error));
    return {
      problem: t(
        '{0} is not valid JSON: {1}. MCP Deck keeps the servers of the last valid version.',
        source.label,
        what,
      ),
      at: { offset: error.offset, length: Math.max(error.length, 1) },
    };
  }
  return root && { root };
}

/** Parses one source and collects problems with their positions. */
class ConfigReader {
  private readonly servers: ParsedServer[] = [];
  private readonly problems: ConfigProblem[] = [];
  private readonly names = new Set<string>();
  private entriesLeft = maxEntries;

  constructor(
    private readonly source: ConfigSource,
    private readonly positionOf: (node: Node) => SourcePosition,
    private readonly isShallow = false,
  ) {}

  readFile(root: Node): ParsedConfig {
    if (root.type !== 'object')
      return broken(
        t('{0} must contain an object with the key "{1}".', this.source.label, this.expectedKey),
        this.positionOf(root),
      );
    const members = membersOf(root);
    const maps = members.filter(({ name }) => serverKeys.has(name));
    const [first] = members;
    if (maps.length === 0 && first)
      this.report(
        'warning',
        t('The key "{0}" is missing. Its value must be an object whose keys are server names.', this.expectedKey),
        first.key,
      );
    const seen = new Set<string>();
    for (const { name, key, value } of maps) {
      if (seen.has(name))
        this.report(
          'warning',
          t('The key "{0}" occurs twice. MCP Deck reads the servers of both objects. Combine the two objects.', name),
          key,
        );
      seen.add(name);
      if (value.type === 'object') this.readServers(membersOf(value));
      else this.report('error', t('"{0}" must be an object whose keys are server names.', name), value);
    }
    return this.finish(
      readInputs(
        members.filter(({ name }) => name === 'inputs').map(({ value }) => value),
        (severity, message, node) => this.report(severity, message, node),
      ),
    );
  }

  readSetting(root: Node, inputs: readonly Node[]): ParsedConfig {
    if (root.type !== 'object')
      return broken(t('{0} must contain an object whose keys are server names.', this.source.label), nowhere);
    const members = membersOf(root);
    const isWrapper = ({ name, value }: ConfigMember) =>
      serverKeys.has(name) &&
      membersOf(value).some((inner) => inner.value.type === 'object' && !serverFields.has(inner.name));
    // The user has pasted the content of a whole file into the setting.
    for (const { name, key } of members.filter(isWrapper))
      this.report('error', t('The setting must contain the servers directly, without the key "{0}".', name), key, name);
    this.readServers(members.filter((member) => !isWrapper(member)));
    return this.finish(readInputs(inputs, (severity, message, node) => this.report(severity, message, node)));
  }

  private get expectedKey(): string {
    return this.source.kind === 'portable' ? 'mcpServers' : 'servers';
  }

  private readServers(members: readonly ConfigMember[]): void {
    for (const { name, key, value } of members) {
      if (this.entriesLeft-- === 0) {
        this.report('error', t('Only the first {0} servers of a file are read.', maxEntries), key);
        return;
      }
      const report = (severity: ConfigProblem['severity'], message: string, node: Node = key) =>
        this.report(severity, message, node, name);
      const problem = this.nameProblem(name);
      if (problem !== undefined) {
        report('error', problem);
        continue;
      }
      this.names.add(name);
      // Names that look identical must be distinguishable, so hidden characters are reported.
      if (/[^ -~]/.test(name) && /[\p{Cc}\p{Cf}]/u.test(name))
        report('warning', t('The name "{0}" contains hidden characters. Remove them.', visibleLine(name, 60)));
      const deep = this.isShallow ? undefined : findTooDeep(value);
      if (deep) {
        report(
          'error',
          t('The definition of this server is nested more than {0} levels deep and was not read.', maxDepth),
          deep,
        );
        continue;
      }
      const server = readServer(value, this.source.kind, report);
      if (server) this.servers.push({ name, position: this.positionOf(key), ...server });
    }
  }

  private nameProblem(name: string): string | undefined {
    if (name.trim() === '' || name.length > 200) return t('A server needs a name of 1 to 200 characters.');
    if (reservedNames.has(name)) return t('"{0}" cannot be the name of a server. Choose another name.', name);
    if (this.names.has(name))
      return t(
        'The name "{0}" is used twice in this file, and only the first entry is used. Rename one of the entries.',
        visibleLine(name, 60),
      );
    return undefined;
  }

  private report(severity: ConfigProblem['severity'], message: string, node: Node, server?: string): void {
    if (this.problems.length === maxProblems) return;
    if (this.problems.length === maxProblems - 1)
      message = t('There are more problems. Correct those above to see the others.');
    this.problems.push({
      severity,
      message,
      position: this.positionOf(node),
      ...(server === undefined ? {} : { server }),
    });
  }

  private finish(inputs: InputDefinition[]): ParsedConfig {
    return { servers: this.servers, inputs, problems: this.problems, isBroken: false };
  }
}

/** The result for a file that is too large to read. The last valid servers of the file are kept. */
export function tooLargeConfig(source: ConfigSource): ParsedConfig {
  return broken(tooLargeText(source), nowhere);
}

/** The result for a file that is not UTF-8 from `position` on. The last valid servers of the file are kept. */
export function invalidConfig({ label }: ConfigSource, position: SourcePosition): ParsedConfig {
  return broken(
    t(
      '{0} is not valid UTF-8 here. Save the file in that encoding. MCP Deck keeps the servers of the last valid version.',
      label,
    ),
    position,
  );
}

function tooLargeText({ label }: ConfigSource): string {
  return t('{0} is larger than 5 MiB and was not read. MCP Deck keeps the servers of the last valid version.', label);
}

function broken(message: string, position: SourcePosition): ParsedConfig {
  return { servers: [], inputs: [], problems: [{ severity: 'error', message, position }], isBroken: true };
}

/** The words of an error code: `PropertyNameExpected` becomes "property name expected". */
function words(code: string): string {
  return code.replace(/(?!^)([A-Z])/g, ' $1').toLowerCase();
}
