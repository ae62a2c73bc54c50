import { randomInt } from 'node:crypto';
import path from 'node:path';
import * as vscode from 'vscode';
import { HostError, UserError } from '../../../core/base/hostError.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import { visibleName } from '../../../core/base/visibleName.js';
import type { ServerView } from '../../../core/catalog/hostTypes.js';
import type { Tool } from '../../../core/protocol/mcp.js';
import type { FuzzFinding } from '../../../core/testing/checks/fuzz/fuzzServer.js';
import type { FuzzRequest } from '../../../core/testing/checks/fuzz/fuzzWorker.js';
import { showLineInput } from '../../adapters/userMessages.js';
import { askSafely } from '../../ui/confirm.js';
import { WorkerCalls } from '../../ui/workerCalls.js';
import type { CheckServices } from './withCheckedServer.js';
import { withCheckedServer } from './withCheckedServer.js';
import type { CheckReport, CheckTests } from './checkTests.js';

/** Number of calls of each tool. The command line has the same default. */
const runs = 50;
/** The largest seed, as on the command line. */
const maxSeed = 2 ** 31 - 1;
/** Maximum number of tools that the question names. */
const maxNamed = 20;
/** Maximum length of a name in the question. */
const maxName = 60;

/**
 * Calls tools of another instance of a server with generated arguments, and shows the tools as tests. The user chooses
 * the tools, and is asked before they are called. Resolves to the numbers of tools with and without findings.
 *
 * @param names the tools to call; empty: the user chooses.
 * @param proposed the seed that the user can accept or replace; by default a new one.
 */
export async function checkWithGeneratedArguments(
  deck: CheckServices,
  tests: CheckTests,
  view: ServerView,
  names: readonly string[] = [],
  proposed = randomInt(maxSeed),
): Promise<{ failed: number; passed: number }> {
  const all = view.features?.tools ?? [];
  const chosen = names.length > 0 ? all.filter(({ name }) => names.includes(name)) : await chooseTools(all);
  if (chosen.length === 0) throw new UserError(vscode.l10n.t('No tool of "{0}" was selected.', visibleName(view.id)));
  const seed = await chooseSeed(proposed);
  if (!(await agrees(deck, view, chosen))) throw new HostError('cancelled', 'The user did not agree.');
  const name = visibleName(view.id);
  const check = {
    id: `generated arguments ${view.id}`,
    label: vscode.l10n.t('Generated arguments for "{0}"', name),
    progress: vscode.l10n.t('Calling tools of "{0}" with generated arguments…', name),
    again: async (parts: readonly string[]) => void (await checkWithGeneratedArguments(deck, tests, view, parts, seed)),
  };
  const figures = { failed: 0, passed: 0 };
  await tests.run(check, names, async (report) => {
    report.line(vscode.l10n.t('Seed: {0}', String(seed)));
    const found = await callTools(deck, view, chosen, seed, report);
    figures.failed = new Set(found.map(({ tool }) => tool)).size;
    figures.passed = chosen.length - figures.failed;
  });
  return figures;
}

/** Calls the tools, and shows each as a test when its calls have ended. */
async function callTools(
  deck: CheckServices,
  view: ServerView,
  tools: readonly Tool[],
  seed: number,
  report: CheckReport,
): Promise<readonly FuzzFinding[]> {
  const { fuzzCall, fuzzServer } = await import('../../../core/testing/onDemand.js');
  const file = path.join(deck.extension.extensionPath, 'dist', 'lib', 'fuzzArguments.js');
  const worker = new WorkerCalls<FuzzRequest, Record<string, unknown>[]>(
    file,
    'The arguments were not generated in time.',
  );
  const { signal } = report;
  try {
    return await withCheckedServer(deck, view, report, async ({ host, id, ensureRunning }) =>
      fuzzServer(tools, {
        seed,
        runs,
        signal,
        generate: (schema, start, count) => worker.call({ schema: JSON.stringify(schema), seed: start, count }),
        call: async (tool, values) => {
          await ensureRunning(signal);
          return fuzzCall(host, { server: id, tool, arguments: values }, signal);
        },
        onTool: (tool) => {
          report.progress(visibleName(tool, 60));
          report.started(tool);
        },
        onToolEnd: (tool, findings) => show(report, tool, findings, seed),
      }),
    );
  } finally {
    worker.dispose();
  }
}

/** Asks which tools to call. The tools that only read are preselected. */
async function chooseTools(all: readonly Tool[]): Promise<Tool[]> {
  const { onlyReads } = await import('../../../core/testing/onDemand.js');
  const items = all.map((tool) => ({
    label: visibleName(tool.name),
    description: onlyReads(tool) ? vscode.l10n.t('only reads') : vscode.l10n.t('may change something'),
    picked: onlyReads(tool),
    tool,
  }));
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Call Tools with Generated Arguments'),
    placeHolder: vscode.l10n.t('Select the tools to call'),
    canPickMany: true,
    matchOnDescription: true,
  });
  if (!picked) throw new HostError('cancelled', 'No tools were selected.');
  return picked.map(({ tool }) => tool);
}

/** Asks for the seed, so that a failure of an earlier run, or of the command line, can be repeated. */
async function chooseSeed(proposed: number): Promise<number> {
  const isSeed = (value: string) => /^\d{1,10}$/.test(value.trim()) && Number(value) <= maxSeed;
  const typed = await showLineInput({
    title: vscode.l10n.t('Call Tools with Generated Arguments'),
    prompt: vscode.l10n.t('Seed of the arguments. The same seed generates the same arguments.'),
    value: String(proposed),
    validateInput: (value) =>
      isSeed(value) ? undefined : vscode.l10n.t('Enter a whole number from 0 to {0}.', String(maxSeed)),
  });
  if (typed === undefined || !isSeed(typed)) throw new HostError('cancelled', 'No seed was entered.');
  return Number(typed);
}

async function agrees(
  { questionTexts: texts }: Pick<CheckServices, 'questionTexts'>,
  { id }: ServerView,
  tools: readonly Tool[],
): Promise<boolean> {
  const { onlyReads } = await import('../../../core/testing/onDemand.js');
  const changing = tools.filter((tool) => !onlyReads(tool));
  const reading = tools.filter((tool) => onlyReads(tool));
  const detail = (count: number, length: number) =>
    [
      vscode.l10n.t(
        'Another instance of the server starts, and each tool is called {0} times. MCP Deck does not ask you before each call. Rules apply.',
        runs,
      ),
      ...(changing.length > 0
        ? [vscode.l10n.t('Tools that may change something: {0}', namesOf(changing, count, length))]
        : []),
      ...(reading.length > 0 ? [vscode.l10n.t('Tools that only read: {0}', namesOf(reading, count, length))] : []),
    ].join('\n\n');
  const shown = detail(maxNamed, maxName);
  const text = detail(Infinity, Infinity);
  return askSafely({
    message: vscode.l10n.t('Call tools of "{0}" with generated arguments?', visibleName(id)),
    detail: shown,
    page: 'checks',
    go: vscode.l10n.t('Call Tools'),
    whole: text === shown ? undefined : { title: vscode.l10n.t('Call Tools with Generated Arguments'), text, texts },
  });
}

function namesOf(tools: readonly Tool[], count: number, length: number): string {
  const shown = tools.slice(0, count).map(({ name }) => visibleName(name, length));
  return tools.length > shown.length ? `${shown.join(', ')}, … (${tools.length})` : shown.join(', ');
}

function show({ line, ended }: CheckReport, tool: string, findings: readonly FuzzFinding[], seed: number): void {
  for (const { severity, rule, message, run, arguments: values } of findings) {
    line(`${severity === 'error' ? '✗' : '!'} ${visibleName(tool)}: ${message} (${rule})`, tool);
    line(`  ${vscode.l10n.t('Call {0} of seed {1}: {2}', run + 1, String(seed), visibleLine(values, 500))}`, tool);
  }
  const messages = findings.map(({ rule, message, arguments: values }) => ({
    text: `${message} (${rule})\n${vscode.l10n.t('Arguments: {0}', values)}`,
  }));
  ended(tool, findings.length === 0 ? 'passed' : 'failed', messages);
}
