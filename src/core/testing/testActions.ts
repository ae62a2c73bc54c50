import { createHash } from 'node:crypto';
import { t } from '@vscode/l10n';
import { exactText } from '../base/exactText.js';
import { visibleText } from '../base/hostileText.js';
import { dialogPart } from '../present/text/lines.js';
import { definitionVariables } from './sentVariables.js';
import type { TestFile, TestStep } from './testModel.js';
import { asText, filledIn, usedNames } from './values.js';

/** The actions of a test file, for the question before it runs. */
export interface TestActions {
  /** The name of the configured server; undefined if the file has the definition. */
  server: string | undefined;
  /** The tools that the file calls, sorted. */
  tools: readonly string[];
  /** The environment variables whose values the file sends to the server, sorted. */
  variables: readonly string[];
  /** The roots that the server receives, sorted. */
  roots: readonly string[];
  /** The kinds of requests of the server that the file answers. */
  answers: readonly ('elicitation' | 'sampling')[];
}

/** What a file does, from all of its steps. */
export function testActionsOf(test: TestFile): TestActions {
  const tools = new Set<string>();
  const variables = new Set<string>();
  const add = (step: TestStep, row: Readonly<Record<string, unknown>>) => {
    const { request } = step;
    for (const name of usedNames([request, row], test.format))
      if (name.startsWith('env:')) variables.add(name.slice('env:'.length));
    if (request.kind === 'call') tools.add(asText(filledIn(request.tool, row, test.format)));
  };
  for (const step of [...test.setup, ...test.teardown]) add(step, {});
  for (const { steps, row } of test.tests) for (const step of steps) add(step, row);
  for (const name of definitionVariables(test)) variables.add(name);
  const answers = [test.answers, ...test.tests.map((one) => one.answers ?? {})];
  return {
    server: test.server && 'name' in test.server ? test.server.name : undefined,
    tools: [...tools].sort(),
    variables: [...variables].sort(),
    roots: [...new Set(answers.flatMap(({ roots = [] }) => roots))].sort(),
    answers: (['elicitation', 'sampling'] as const).filter((kind) => answers.some((one) => one[kind])),
  };
}

/** A file that the user has not agreed to run. */
export interface NewFile {
  test: TestFile;
  actions: TestActions;
  /** A digest of the file and its actions. The user is asked again if it changes. */
  key: string;
}

/** Maximum length of all names of the files that one question is about, in UTF-16 code units. */
const maxAskedLength = 2_000_000;

/**
 * The files that the question before a run is about. `tooLong` if they have more names than a question can show.
 * @param agreed the keys of the files that the user agreed to run.
 */
export function newFilesOf(tests: readonly TestFile[], agreed: ReadonlySet<string>): NewFile[] | 'tooLong' {
  const files: NewFile[] = [];
  let length = 0;
  for (const test of tests) {
    const actions = testActionsOf(test);
    const text = JSON.stringify([test.file, actions]);
    const key = createHash('sha256').update(text, 'utf16le').digest('base64');
    if (agreed.has(key)) continue;
    length += text.length;
    if (length > maxAskedLength) return 'tooLong';
    files.push({ test, actions, key });
  }
  return files;
}

/** A file that the question is about. */
export interface FileActions {
  /** The path as the question shows it. */
  file: string;
  actions: TestActions;
}

/** How much of the files a text contains: the number of files, of names in a list, and the length of a name. */
interface Extent {
  files: number;
  names: number;
  length: number;
}

const ofQuestion: Extent = { files: 5, names: 40, length: 60 };
const ofDocument: Extent = { files: Infinity, names: Infinity, length: 100_000 };

/**
 * The text of the question before a run of these files.
 * @returns `detail` for the dialog, and `whole` if the dialog leaves out something. A user must not agree to a text
 * that was not shown.
 */
export function runQuestion(files: readonly FileActions[]): { detail: string; whole: string | undefined } {
  const detail = dialogPart(actionsText(files, ofQuestion));
  const whole = actionsText(files, ofDocument);
  return { detail, whole: detail === whole ? undefined : whole };
}

function actionsText(files: readonly FileActions[], extent: Extent): string {
  const hasVariables = files.some(({ actions }) => actions.variables.length > 0);
  const parts = [
    t('The tests call tools, and MCP Deck does not ask you before each call. Rules apply.'),
    ...(hasVariables ? [t('The values of the environment variables are sent to the server.')] : []),
    ...files.slice(0, extent.files).map((one) => fileText(one, extent)),
  ];
  const more = files.length - extent.files;
  if (more > 0) parts.push(t('Other files: {0}', more));
  return parts.join('\n\n');
}

function fileText({ file, actions }: FileActions, extent: Extent): string {
  const { server, tools, variables, roots, answers } = actions;
  return [
    nameText(file, 4 * extent.length),
    server === undefined ? t('Server: defined in the file') : t('Server: {0}', nameText(server, extent.length)),
    ...(tools.length > 0 ? [t('Tools: {0}', namesText(tools, extent))] : []),
    ...(variables.length > 0 ? [t('Environment variables: {0}', namesText(variables, extent))] : []),
    ...(roots.length > 0 ? [t('Roots: {0}', namesText(roots, extent))] : []),
    ...(answers.length > 0 ? [t('Answers requests of the server: {0}', answers.map(answerText).join(', '))] : []),
  ].join('\n');
}

function answerText(kind: TestActions['answers'][number]): string {
  return kind === 'elicitation' ? t('forms') : t('sampling');
}

/** A name as in `exactText`, cut after `maxLength`. @param alsoQuoted characters that end the name in its context. */
function nameText(name: string, maxLength: number, alsoQuoted?: RegExp): string {
  return visibleText(exactText(name, alsoQuoted), maxLength);
}

/**
 * Names one after another; two different lists have different texts. The text states how many there are if it leaves
 * out some.
 */
function namesText(names: readonly string[], extent: Extent): string {
  const shown = names.slice(0, extent.names).map((name) => nameText(name, extent.length, /,/));
  return names.length > shown.length ? `${shown.join(', ')}, … (${names.length})` : shown.join(', ');
}
