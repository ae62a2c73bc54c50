/** Reads `*.mcptest.yaml`. A file with any problem has no tests, so that no part of the file runs. */
import { UserError } from '../base/hostError.js';
import { t } from '@vscode/l10n';
import { visibleLine } from '../base/hostileText.js';
import { parseConfigValue } from '../config/parseConfig.js';
import { readAssertFile } from './readAssertFile.js';
import { readAnswers, readStep, stepKeys } from './readStep.js';
import { Fields } from './fields.js';
import type { ReadFile, TestCase, TestFile, TestFileServer, TestStep } from './testModel.js';
import { defaultCaseMs, testEras } from './testModel.js';
import { asText, filledIn, roomForValues, usedNames } from './values.js';
import type { YamlNode } from './yamlTree.js';
import { readYaml } from './yamlTree.js';

const fileKeys = ['server', 'protocol', 'timeout', 'answers', 'setup', 'teardown', 'tests'] as const;
const caseKeys = ['name', 'tags', 'skip', 'timeout', 'answers', 'each', 'steps', ...stepKeys] as const;

/** Maximum number of cases of a file. Each row of `each` is one case. */
const maxCases = 10_000;
/** Maximum number of steps of all cases of a file. */
const maxSteps = 100_000;
/**
 * Maximum length of the name of a test, and of a tool, after the values of `each` are filled in, in UTF-16 code units.
 * The window keeps the names, and shows them before a run.
 */
const maxNameLength = 1_000;
/** Maximum length of all these names of a file together. */
const maxAllNames = 1_000_000;

/** Whether a file has the name of a test file: `*.mcptest.yaml`, `*.mcptest.yml` or `*.mcptest.json`. */
export function isTestFileName(name: string): boolean {
  return /\.mcptest\.(?:ya?ml|json)$/.test(name);
}

/** A file and its values with their positions. */
export interface ParsedFile {
  read: ReadFile;
  /** Absent if the file is empty or not valid YAML, and for files of mcp-assert. */
  root?: YamlNode;
}

/**
 * Reads the text of a file. Never throws. A file that does not have the name of a test file is read as a file of
 * mcp-assert.
 * @param file the absolute path.
 */
export function readTestFile(text: string, file: string, env: Readonly<Record<string, string | undefined>>): ReadFile {
  return parseTestFile(text, file, env).read;
}

/** Reads the text of a file like `readTestFile`, and returns its values with their positions too. */
export function parseTestFile(
  text: string,
  file: string,
  env: Readonly<Record<string, string | undefined>>,
): ParsedFile {
  if (!isTestFileName(file)) return { read: readAssertFile(text, file, env) };
  const { root, problems } = readYaml(text);
  if (problems.length > 0) return { read: { problems } };
  if (!root) return { read: { problems: [{ line: 1, column: 1, message: t('The file is empty.') }] } };
  const fields = new Fields();
  const test = new Reader(fields, file).read(root);
  return { read: fields.problems.length > 0 ? { problems: fields.problems } : { test }, root };
}

class Reader {
  private readonly names = new Set<string>();
  /** Cases and steps that were read, for the limits. */
  private readonly counts = { cases: 0, steps: 0, names: 0 };

  constructor(
    private readonly fields: Fields,
    private readonly file: string,
  ) {}

  read(root: YamlNode): TestFile {
    const { fields } = this;
    const parts = fields.map(root, fileKeys, t('The file'));
    const eras = parts.protocol
      ? (parts.protocol.items ?? [parts.protocol]).flatMap((era) => fields.choice(era, testEras, 'protocol') ?? [])
      : [];
    const setup = this.steps(parts.setup, 'setup');
    const teardown = this.steps(parts.teardown, 'teardown');
    if (!parts.tests) fields.report(root, t('The key "{0}" is missing.', 'tests'));
    const known = new Set(setup.flatMap(({ save }) => save.map(({ name }) => name)));
    this.checkSteps(setup);
    const tests = fields.list(parts.tests, 'tests').flatMap((node) => this.cases(node, known));
    const all = new Set([
      ...known,
      ...tests.flatMap(({ steps }) => steps.flatMap(({ save }) => save.map(({ name }) => name))),
    ]);
    for (const step of teardown) this.checkNames(step, [all]);
    return {
      file: this.file,
      format: 'mcptest',
      ...(parts.server ? { server: this.server(parts.server) } : this.missingServer(root)),
      eras: eras.length === 0 ? ['auto'] : eras,
      answers: readAnswers(fields, parts.answers) ?? {},
      setup,
      teardown,
      tests,
      timeoutMs: fields.duration(parts.timeout, 'timeout') ?? defaultCaseMs,
    };
  }

  private missingServer(root: YamlNode): Record<never, never> {
    this.fields.report(root, t('The key "{0}" is missing.', 'server'));
    return {};
  }

  private server(node: YamlNode): TestFileServer {
    const { line, column, value } = node;
    if (typeof value === 'string') return { line, column, name: value };
    const definition = this.fields.object(node, 'server') ?? {};
    const { problems } = parseConfigValue({ server: definition }, { id: 'test', kind: 'vscode', label: 'server' });
    for (const { message } of problems) this.fields.report(node, message);
    return { line, column, definition };
  }

  private steps(node: YamlNode | undefined, what: string): TestStep[] {
    return this.fields
      .list(node, what)
      .flatMap((step) => readStep(this.fields, step, this.fields.map(step, stepKeys, t('A step'))) ?? []);
  }

  private cases(node: YamlNode, known: Set<string>): TestCase[] {
    const { fields } = this;
    const parts = fields.map(node, caseKeys, t('A test'));
    const written = fields.text(parts.name, 'name');
    const hasSteps = parts.steps !== undefined;
    const single = hasSteps ? undefined : readStep(fields, node, parts);
    const steps = hasSteps ? this.steps(parts.steps, 'steps') : single ? [single] : [];
    const name = written ?? this.defaultName(steps[0]);
    const rows = parts.each
      ? fields.list(parts.each, 'each').map((row) => fields.object(row, t('An item of "{0}"', 'each')) ?? {})
      : [{}];
    const skip = parts.skip?.value;
    const answers = readAnswers(fields, parts.answers);
    const timeoutMs = fields.duration(parts.timeout, 'timeout');
    // A value that one test saves is known to the tests after it.
    this.checkSteps(steps, known, rows);
    for (const saved of steps.flatMap(({ save }) => save)) known.add(saved.name);
    this.counts.cases += rows.length;
    this.counts.steps += rows.length * steps.length;
    if (this.counts.cases > maxCases || this.counts.steps > maxSteps) {
      fields.report(
        node,
        t('A file can have at most {0} tests, and at most {1} steps in all tests together.', maxCases, maxSteps),
      );
      return [];
    }
    const tools = steps.flatMap(({ request }) => (request.kind === 'call' ? [request.tool] : []));
    const areShort = rows.every((row) =>
      [name, ...tools].every((text) => {
        const length = nameLength(text, row);
        this.counts.names += length ?? 0;
        return length !== undefined && this.counts.names <= maxAllNames;
      }),
    );
    if (!areShort) {
      fields.report(
        node,
        t(
          'The names of tests and tools can have at most {0} characters, and {1} together.',
          maxNameLength,
          maxAllNames,
        ),
      );
      return [];
    }
    return rows.map((row, index) => {
      const filled = asText(filledIn(name, row, 'mcptest'));
      const title = rows.length > 1 && filled === name ? `${name} [${index + 1}]` : filled;
      if (this.names.has(title))
        fields.report(
          node,
          t('The name "{0}" is used twice in this file. Rename one of the tests.', visibleLine(title, 60)),
        );
      this.names.add(title);
      return {
        line: node.line,
        column: node.column,
        name: title,
        tags: fields.texts(parts.tags, 'tags'),
        ...(skip === true || typeof skip === 'string' ? { skip: skip === true ? '' : skip } : {}),
        steps,
        ...(answers ? { answers } : {}),
        row,
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
      };
    });
  }

  private defaultName(step: TestStep | undefined): string {
    const request = step?.request;
    switch (request?.kind) {
      case 'call':
        return request.tool;
      case 'read':
        return request.uri;
      case 'get':
        return request.prompt;
      case 'list':
        return `list ${request.list}`;
      default:
        return t('test {0}', this.names.size + 1);
    }
  }

  /** Every step knows the names of the first row, `known`, and those that the steps before it save. */
  private checkSteps(
    steps: readonly TestStep[],
    known: ReadonlySet<string> = new Set(),
    rows: readonly Readonly<Record<string, unknown>>[] = [],
  ): void {
    const saved = new Set<string>();
    const inFirstRow = new Set(Object.keys(rows[0] ?? {}));
    const inEveryRow = namesInAll(rows);
    for (const step of steps) {
      this.checkNames(step, [saved, known, inFirstRow], inEveryRow);
      for (const { name } of step.save) saved.add(name);
    }
  }

  /**
   * Reports names without a value. The name of a tool can use only values of the file, because the question before a
   * run shows the tools, and the server decides about saved values.
   */
  private checkNames(step: TestStep, known: readonly ReadonlySet<string>[], inEveryRow = new Set<string>()): void {
    const { request } = step;
    const inTool = request.kind === 'call' ? usedNames(request.tool, 'mcptest') : [];
    const open = inTool.find((name) => !inEveryRow.has(name));
    if (open !== undefined) this.fields.report(step, openToolText(open));
    const used = [
      ...usedNames(request, 'mcptest').filter((name) => name !== open),
      ...usedNames(
        step.checks.map(({ value }) => value),
        'mcptest',
      ),
    ];
    for (const name of new Set(used))
      if (!known.some((names) => names.has(name)) && !name.startsWith('env:'))
        this.fields.report(
          step,
          t('No step before this one saves "{0}". Save it, add it to "each", or write $${ for a literal ${.', name),
        );
  }
}

function openToolText(name: string): string {
  return t(
    'The name of a tool must be known before the tests run, so it cannot contain {0}. Write the name here, or in "each".',
    `\${${visibleLine(name, 60)}}`,
  );
}

/** The names that each row of `each` has. */
function namesInAll([first = {}, ...others]: readonly Record<string, unknown>[]): Set<string> {
  const names = new Set(Object.keys(first));
  for (const row of others) for (const name of names) if (!Object.hasOwn(row, name)) names.delete(name);
  return names;
}

/** The length of a name after the values of a row are filled in. Undefined if it is too long. */
function nameLength(text: string, row: Readonly<Record<string, unknown>>): number | undefined {
  try {
    // A value that is the whole text takes up to two bytes of room for each character.
    const { length } = asText(filledIn(text, row, 'mcptest', roomForValues(2 * maxNameLength)));
    return length <= maxNameLength ? length : undefined;
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}
