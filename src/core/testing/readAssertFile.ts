/**
 * Reads the files of mcp-assert (https://github.com/blackwell-systems/mcp-assert), one case per file, into the same
 * model as `*.mcptest.yaml`. Unknown keys outside of `expect` are ignored, as in mcp-assert.
 */
import { t } from '@vscode/l10n';
import { isObject, isStringArray } from '../base/guards.js';
import { Fields, durationOf, unknownKey } from './fields.js';
import { patternOf } from './matchers.js';
import type { ReadFile, TestAnswers, TestCheck, TestFile, TestRequest, TestFileServer, TestStep } from './testModel.js';
import { defaultCaseMs } from './testModel.js';
import { trajectoryFailures } from './trajectory.js';
import type { YamlNode } from './yamlTree.js';
import { entryOf, memberOf, memberText, readYaml } from './yamlTree.js';

/** The kinds of `expect`, in the order in which they are checked. */
const assertKinds = [
  ...['not_error', 'is_error', 'not_empty', 'equals', 'contains', 'contains_any', 'not_contains', 'matches_regex'],
  ...['json_path', 'min_results', 'max_results', 'net_delta', 'file_contains', 'file_not_contains', 'file_not_exists'],
  ...['file_unchanged', 'in_order', 'min_progress'],
] as const;

/** Each file without the key `trajectory` has exactly one of these keys. */
const blocks = [
  ...['assert', 'assert_resources', 'assert_prompts', 'assert_completion', 'assert_sampling', 'assert_logging'],
  'assert_notifications',
] as const;

type Env = Readonly<Record<string, string | undefined>>;
const objectOf = (node: YamlNode | undefined, key: string): Record<string, unknown> => {
  const value = memberOf(node, key)?.value;
  return isObject(value) ? value : {};
};

/** Whether the text is a file of mcp-assert. */
export function isAssertFile(text: string): boolean {
  return /^(?:assert(?:_[a-z]+)?|trajectory)[ \t]*:/m.test(text);
}

/** Reads the text of a file of mcp-assert. Never throws. */
export function readAssertFile(text: string, file: string, env: Env): ReadFile {
  const { root, problems } = readYaml(text, true);
  if (problems.length > 0) return { problems };
  if (!root?.entries) return { problems: [{ line: 1, column: 1, message: t('The file has no test.') }] };
  const fields = new Fields();
  const test = new AssertReader(fields, root, env).read(file);
  return fields.problems.length > 0 || !test ? { problems: fields.problems } : { test };
}

class AssertReader {
  constructor(
    private readonly fields: Fields,
    private readonly root: YamlNode,
    private readonly env: Env,
  ) {}

  read(file: string): TestFile | undefined {
    const { root, fields } = this;
    const name = memberText(root, 'name') ?? file.replace(/^.*[\\/]/, '');
    const timeoutMs = durationOf(memberOf(root, 'timeout')?.value) ?? defaultCaseMs;
    const skip = this.skipReason();
    const common = { file, format: 'mcp-assert', eras: ['auto'], setup: [], teardown: [], timeoutMs } as const;
    const place = { line: root.line, column: root.column };
    const base = { ...place, name, tags: [], row: {}, ...(skip === undefined ? {} : { skip }) };
    const trajectory = memberOf(root, 'trajectory');
    if (trajectory) {
      const failures = trajectoryFailures(
        fields,
        trajectory,
        memberOf(root, 'trace'),
        memberText(root, 'audit_log'),
        file,
      );
      return { ...common, answers: {}, tests: [{ ...base, steps: [] }], trajectoryFailures: failures };
    }
    const found = (root.entries ?? []).filter(({ key }) => (blocks as readonly string[]).includes(key));
    const [block] = found;
    if (!block || found.length > 1) {
      fields.report(found[1] ?? root, t('The file must have exactly one of: {0}.', blocks.join(', ')));
      return undefined;
    }
    const main = this.step(block.key, block.node);
    const setup = fields.list(memberOf(root, 'setup'), 'setup').map((node) => this.setupStep(node));
    const server = memberOf(root, 'server');
    if (!server) fields.report(root, t('The key "{0}" is missing.', 'server'));
    const level = block.key === 'assert_logging' ? memberText(block.node, 'set_level') : undefined;
    const set: TestStep[] =
      level === undefined
        ? []
        : [{ ...place, request: { kind: 'setLevel', level }, save: [], checks: [], failsOnError: true }];
    return {
      ...common,
      ...(server ? { server: this.server(server) } : {}),
      answers: this.answers(server, block.key === 'assert_sampling' ? block.node : undefined),
      tests: [{ ...base, steps: [...setup, ...set, ...(main ? [main] : [])] }],
    };
  }

  private skipReason(): string | undefined {
    if (memberOf(this.root, 'skip')?.value === true) return '';
    const variable = memberText(this.root, 'skip_unless_env');
    if (variable === undefined || (this.env[variable] ?? '') !== '') return undefined;
    return t('{0} is not set', variable);
  }

  private server(node: YamlNode): TestFileServer {
    const { line, column } = node;
    // The host fills in the variables, so that the question about the start shows their names and not their values.
    const expand = (text: string) =>
      text.replace(/\$\{(\w+)\}|\$(\w+)/g, (_all, a?: string, b?: string) => {
        const variable = a ?? b ?? '';
        return this.env[variable] === undefined ? '' : `\${env:${variable}}`;
      });
    const texts = (key: string) =>
      Object.fromEntries(Object.entries(objectOf(node, key)).map(([name, value]) => [name, expand(String(value))]));
    const url = memberText(node, 'url');
    const transport = memberText(node, 'transport');
    if (url !== undefined && transport !== undefined && transport !== 'stdio')
      return { line, column, definition: { type: transport, url, headers: texts('headers') } };
    const command = memberText(node, 'command');
    if (command === undefined) this.fields.report(node, t('The key "{0}" is missing.', 'command'));
    const args = memberOf(node, 'args')?.value;
    const words = (Array.isArray(args) ? (args as unknown[]) : []).map((arg) => String(arg));
    const env = texts('env');
    const docker = memberText(node, 'docker');
    if (docker === undefined) return { line, column, definition: { command: command ?? '', args: words, env } };
    const set = Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
    const all = ['run', '--rm', '-i', ...set, docker, command ?? '', ...words];
    return { line, column, definition: { command: 'docker', args: all } };
  }

  private answers(server: YamlNode | undefined, sampling: YamlNode | undefined): TestAnswers {
    const capabilities = memberOf(server, 'client_capabilities');
    const elicitation = objectOf(capabilities, 'elicitation');
    const content = isObject(elicitation['content']) ? elicitation['content'] : elicitation;
    const sampled = objectOf(capabilities, 'sampling');
    const text = memberText(sampling, 'mock_text') ?? sampled['text'];
    const model = memberText(sampling, 'mock_model') ?? sampled['model'];
    const roots = memberOf(capabilities, 'roots')?.value;
    return {
      ...(memberOf(capabilities, 'elicitation') ? { elicitation: [{ action: 'accept', content }] } : {}),
      ...(text === undefined ? {} : { sampling: [{ text, model, stopReason: sampled['stop_reason'] }] }),
      ...(isStringArray(roots) ? { roots } : {}),
    };
  }

  private setupStep(node: YamlNode): TestStep {
    const { line, column } = node;
    const captures = memberOf(node, 'capture')?.entries ?? [];
    const save = captures.map(({ key, node: { value }, ...place }) => ({ ...place, name: key, path: String(value) }));
    const request: TestRequest = {
      kind: 'call',
      tool: memberText(node, 'tool') ?? '',
      arguments: objectOf(node, 'args'),
    };
    return { line, column, request, save, checks: [], failsOnError: true };
  }

  private step(key: string, node: YamlNode): TestStep | undefined {
    const request = this.request(key, node);
    if (!request) return undefined;
    const expect = memberOf(node, 'expect');
    const checks =
      key === 'assert_logging' || key === 'assert_notifications'
        ? (expect?.entries ?? []).map((entry) => check(entry, key === 'assert_logging' ? 'log' : 'notified'))
        : this.checks(expect);
    return { line: node.line, column: node.column, request, save: [], checks, failsOnError: false };
  }

  private request(key: string, node: YamlNode): TestRequest | undefined {
    if (key === 'assert_resources') {
      for (const unsupported of ['subscribe', 'unsubscribe', 'expect_notification'])
        if (entryOf(node, unsupported))
          this.fields.report(entryOf(node, unsupported) ?? node, t('"{0}" is not supported.', unsupported));
      const uri = memberText(node, 'read');
      return uri === undefined ? list('resources', memberOf(node, 'list')) : { kind: 'read', uri };
    }
    if (key === 'assert_prompts') {
      const get = memberOf(node, 'get');
      if (!get) return list('prompts', memberOf(node, 'list'));
      return { kind: 'get', prompt: memberText(get, 'name') ?? '', arguments: objectOf(get, 'arguments') };
    }
    if (key === 'assert_completion') {
      const ref = memberOf(node, 'ref');
      const argument = memberOf(node, 'argument');
      const name = memberText(ref, 'name') ?? memberText(ref, 'uri') ?? '';
      const isResource = memberText(ref, 'type') === 'ref/resource';
      return {
        kind: 'complete',
        reference: isResource ? { type: 'ref/resource', uri: name } : { type: 'ref/prompt', name },
        argument: { name: memberText(argument, 'name') ?? '', value: memberText(argument, 'value') ?? '' },
      };
    }
    const tool = memberText(node, 'tool');
    if (tool !== undefined) return { kind: 'call', tool, arguments: objectOf(node, 'args') };
    this.fields.report(node, t('The key "{0}" is missing.', 'tool'));
    return undefined;
  }

  private checks(expect: YamlNode | undefined): TestCheck[] {
    const entries = expect?.entries ?? [];
    for (const { key, node, ...place } of entries) {
      if (!(assertKinds as readonly string[]).includes(key)) this.fields.report(place, unknownKey(key, assertKinds));
      if (key !== 'matches_regex') continue;
      for (const pattern of node.items ?? [node])
        if (typeof pattern.value !== 'string' || !patternOf(pattern.value))
          this.fields.report(pattern, t('This is not a regular expression.'));
    }
    const order = (key: string) => (assertKinds as readonly string[]).indexOf(key);
    return entries.map((entry) => check(entry, 'assert')).sort((a, b) => order(a.key) - order(b.key));
  }
}

function check(
  { key, node, line, column }: { key: string; node: YamlNode; line: number; column: number },
  prefix: string,
): TestCheck {
  return { kind: `${prefix}:${key}`, key, value: node.value, line, column };
}

function list(kind: 'resources' | 'prompts', node: YamlNode | undefined): TestRequest {
  const cursor = memberText(node, 'cursor');
  return { kind: 'list', list: kind, ...(cursor === undefined ? {} : { cursor }) };
}
