import os from 'node:os';
import * as vscode from 'vscode';
import { HostError } from '../../../core/base/hostError.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import { visibleName } from '../../../core/base/visibleName.js';
import type { ServerView } from '../../../core/catalog/hostTypes.js';
import type { SuiteProgram } from '../../../core/testing/checks/conformance/suiteProgram.js';
import type { ScenarioResult } from '../../../core/testing/checks/conformance/suiteResults.js';
import { askSafely } from '../../ui/confirm.js';
import type { CheckServices } from './withCheckedServer.js';
import { withCheckedServer } from './withCheckedServer.js';
import type { CheckMessage, CheckReport, CheckTests } from './checkTests.js';

/** The numbers of scenarios that failed and passed. Scenarios that the revision does not require do not count. */
export interface SuiteFigures {
  failed: number;
  passed: number;
}

/**
 * Runs the official conformance suite against another instance of a server, and shows its scenarios as tests. Asks
 * first, because the suite is a program of the workspace or of the npm registry, and calls tools.
 *
 * @param scenarios the scenarios to run; empty: all that the revision of the server requires.
 */
export async function checkConformance(
  deck: CheckServices,
  tests: CheckTests,
  view: ServerView,
  scenarios: readonly string[] = [],
): Promise<SuiteFigures> {
  const { findSuite } = await import('../../../core/testing/onDemand.js');
  const folder = view.entry.source.folderPath ?? vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? os.homedir();
  const program = await findSuite(folder, 'node');
  if (!(await agrees(view, program, scenarios.length))) throw new HostError('cancelled', 'The user did not agree.');
  const name = visibleName(view.id);
  const check = {
    id: `conformance ${view.id}`,
    label: vscode.l10n.t('Conformance of "{0}"', name),
    progress: vscode.l10n.t('Running the conformance suite against "{0}"…', name),
    again: async (parts: readonly string[]) => void (await checkConformance(deck, tests, view, parts)),
  };
  const figures = { failed: 0, passed: 0 };
  await tests.run(check, scenarios, async (report) => {
    const results = await withCheckedServer(deck, view, report, async ({ host, id }) => {
      const { runSuiteOnServer, suiteRevisionFor } = await import('../../../core/testing/onDemand.js');
      const { openPrivateFront } = await import('../../../core/gateway/onDemand.js');
      return runSuiteOnServer({
        host,
        server: id,
        openFront: openPrivateFront,
        info: deck.client,
        log: deck.log,
        validate: deck.schemas.checkOutput,
        program,
        revision: suiteRevisionFor(host.servers.get(id)?.features?.identity.revision ?? ''),
        scenarios,
        folder,
        env: deck.ports.machine.env,
        signal: report.signal,
        onScenario: (scenario) => {
          report.progress(visibleLine(scenario, 60));
          report.started(scenario);
        },
      });
    });
    for (const result of results) show(report, result);
    const scored = results.filter(({ isScored }) => isScored);
    figures.failed = scored.filter(({ status }) => status === 'failed').length;
    figures.passed = scored.filter(({ status }) => status === 'passed').length;
  });
  return figures;
}

async function agrees({ id, entry }: ServerView, { command, args, isInstalled, version }: SuiteProgram, count: number) {
  const { directSuiteUrl } = await import('../../../core/testing/onDemand.js');
  const url = directSuiteUrl(entry.definition);
  const line = [command, ...args].map((word) => visibleLine(word, 500)).join(' ');
  const shown = visibleLine(version, 40);
  return askSafely({
    message: vscode.l10n.t('Run the conformance suite against "{0}"?', visibleName(id)),
    detail: [
      url === undefined
        ? [
            vscode.l10n.t(
              'The suite starts another instance of the server, and uses its tools, resources, and prompts.',
            ),
            vscode.l10n.t('MCP Deck does not ask you before each call. Rules apply.'),
          ].join(' ')
        : [
            vscode.l10n.t(
              'The suite connects directly to {0}, and uses the tools, resources, and prompts of the server.',
              visibleLine(url, 300),
            ),
            vscode.l10n.t(
              'MCP Deck does not see these calls, so it does not ask you about them, and rules do not apply.',
            ),
          ].join(' '),
      count === 0
        ? vscode.l10n.t('The suite runs all scenarios that the MCP version of the server requires.')
        : vscode.l10n.t('Scenarios: {0}', count),
      isInstalled
        ? vscode.l10n.t('MCP Deck runs version {0} of the suite from the packages of this project:', shown)
        : vscode.l10n.t('npx downloads version {0} of the suite from the npm registry, and runs it:', shown),
      line,
    ].join('\n\n'),
    page: 'checks',
    go: vscode.l10n.t('Run Suite'),
  });
}

/**
 * Shows a scenario as a test. If a scenario fails although the MCP version of the server does not require it, the test
 * is reported as skipped, and its output says why.
 */
function show({ line, ended }: CheckReport, { name, status, isScored, checks, link }: ScenarioResult): void {
  const shown = checks.filter((one) => one.status === 'failed' || one.status === 'warning');
  line(`${status === 'failed' ? '✗' : status === 'passed' ? '✓' : '–'} ${visibleLine(name, 100)}`, name);
  if (!isScored) line(`  ${vscode.l10n.t('The MCP version of the server does not require this scenario.')}`, name);
  for (const { message, description } of shown) line(`  ${visibleLine(message ?? description, 500)}`, name);
  if (link !== undefined) line(`  ${link}`, name);
  if (status !== 'failed' || !isScored) return ended(name, status === 'failed' ? 'skipped' : status);
  const failures = checks.filter((one) => one.status === 'failed');
  const messages = failures.map(({ message, description, links }): CheckMessage => ({
    text: message ?? description,
    links,
  }));
  const none = { text: vscode.l10n.t('The scenario ended without a result.') };
  ended(name, 'failed', messages.length > 0 ? messages : [none]);
}
