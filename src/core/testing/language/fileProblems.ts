import { t } from '@vscode/l10n';
import { looksSecret } from '../../../shared/secretNames.js';
import type { Tool } from '../../protocol/mcp.js';
import { nearestName } from '../../base/editDistance.js';
import { visibleLine } from '../../base/hostileText.js';
import { visibleName } from '../../base/visibleName.js';
import type { ParsedFile } from '../readTestFile.js';
import type { FileProblem, FilePlace, YamlNode } from '../yamlTree.js';
import { memberOf, memberText } from '../yamlTree.js';
import type { LiveServers, LiveServer } from './liveServer.js';
import { liveServerOf, propertiesOf, requiredOf, stepsOf } from './liveServer.js';

/**
 * A problem of a file. A file with an error does not run. A warning is about the servers of this window, or about a
 * value that looks like a secret.
 */
export interface ShownProblem extends FileProblem {
  severity: 'error' | 'warning';
}

/** Maximum number of problems. */
const maxProblems = 100;

/**
 * The problems of a test file: those of its format. If there are none: an unknown server, values that look like
 * secrets, and the differences from the running server. A server that does not run is not compared.
 */
export function problemsOf({ read, root }: ParsedFile, servers: LiveServers): ShownProblem[] {
  if ('problems' in read)
    return read.problems.slice(0, maxProblems).map((problem) => ({ ...problem, severity: 'error' }));
  if (!root) return [];
  const checks = new Checks();
  const name = memberText(root, 'server');
  if (name !== undefined && !servers.names.includes(name))
    checks.unknown(memberOf(root, 'server'), name, servers.names);
  checks.secrets(memberOf(root, 'server'), '');
  const live = liveServerOf(root, servers);
  const named = live && namedItems(live);
  for (const step of stepsOf(root)) {
    checks.secrets(memberOf(step, 'arguments'), '');
    if (named) checks.step(step, named);
  }
  return checks.found.slice(0, maxProblems).map((problem) => ({ ...problem, severity: 'warning' }));
}

/** The items of a server by name: a file can have many steps, and a server many tools. */
interface NamedItems {
  tools: ReadonlyMap<string, Tool>;
  prompts: ReadonlySet<string>;
}

function namedItems({ tools, prompts }: LiveServer): NamedItems {
  return {
    // The first of several tools with one name counts.
    tools: new Map(tools.map((tool) => [tool.name, tool] as const).reverse()),
    prompts: new Set(prompts.map(({ name }) => name)),
  };
}

class Checks {
  readonly found: FileProblem[] = [];

  /** Whether more problems would not be shown. */
  private get isFull(): boolean {
    return this.found.length >= maxProblems;
  }

  /** Compares the names and arguments of a step with the server. Names with variables are not known yet. */
  step(step: YamlNode, { tools, prompts }: NamedItems): void {
    if (this.isFull) return;
    const called = memberOf(step, 'call');
    const tool = typeof called?.value === 'string' ? tools.get(called.value) : undefined;
    // A test can expect that a tool does not exist.
    const expectsError = memberOf(memberOf(step, 'expect'), 'error') !== undefined;
    if (typeof called?.value === 'string' && !tool && !expectsError) this.unknown(called, called.value, tools.keys());
    if (tool && called && !expectsFailure(step)) this.arguments(step, called, tool.inputSchema);
    const got = memberOf(step, 'get');
    if (typeof got?.value === 'string' && !prompts.has(got.value) && !expectsError)
      this.unknown(got, got.value, prompts);
  }

  /** Reports a name that the server, or the configuration, does not have. */
  unknown(place: FilePlace | undefined, name: string, known: Iterable<string>): void {
    if (!place || name.includes('${') || this.isFull) return;
    const nearest = nearestName(name, known);
    const shown = visibleLine(name, 60);
    this.report(
      place,
      nearest === undefined
        ? t('"{0}" is not known in this window.', shown)
        : t('"{0}" is not known in this window. Did you mean "{1}"?', shown, visibleName(nearest, 60)),
    );
  }

  /** Reports values that look like secrets, because the file is part of the repository. */
  secrets(node: YamlNode | undefined, name: string): void {
    if (!node) return;
    for (const entry of node.entries ?? []) this.secrets(entry.node, entry.key);
    for (const item of node.items ?? []) this.secrets(item, name);
    if (typeof node.value === 'string' && looksSecret(name, node.value))
      this.report(node, t('This value looks like a secret. Use an environment variable, such as {0}.', '${env:NAME}'));
  }

  private arguments(step: YamlNode, called: FilePlace, schema: unknown): void {
    const written = memberOf(step, 'arguments');
    const known = Object.keys(propertiesOf(schema));
    const given = (written?.entries ?? []).map(({ key }) => key);
    for (const { key, ...place } of written?.entries ?? [])
      if (!known.includes(key) && known.length > 0 && !this.isFull) {
        const nearest = nearestName(key, known);
        const shown = visibleLine(key, 60);
        this.report(
          place,
          nearest === undefined
            ? t('The tool has no argument "{0}". Its arguments: {1}.', shown, visibleLine(known.join(', '), 200))
            : t('The tool has no argument "{0}". Did you mean "{1}"?', shown, visibleName(nearest, 60)),
        );
      }
    const missing = requiredOf(schema).filter((name) => !given.includes(name));
    if (missing.length > 0)
      this.report(called, t('The tool requires these arguments: {0}.', visibleLine(missing.join(', '), 200)));
  }

  private report({ line, column }: FilePlace, message: string): void {
    this.found.push({ line, column, message });
  }
}

/** Whether a step tests wrong arguments. */
function expectsFailure(step: YamlNode): boolean {
  const expect = memberOf(step, 'expect');
  return memberOf(expect, 'error') !== undefined || memberOf(expect, 'isError')?.value === true;
}
