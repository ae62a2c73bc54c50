import { visibleLine } from '../../core/base/hostileText.js';
import type { McpHost } from '../../core/host/mcpHost.js';
import { UserError } from '../../core/base/hostError.js';
import { openPrivateFront } from '../../core/gateway/privateFront.js';
import { runSuiteOnServer } from '../../core/testing/checks/conformance/suiteOnServer.js';
import type { SuiteProgram, SuiteRevision } from '../../core/testing/checks/conformance/suiteProgram.js';
import { findSuite, suiteRevisionFor, suiteRevisions } from '../../core/testing/checks/conformance/suiteProgram.js';
import type { ScenarioResult } from '../../core/testing/checks/conformance/suiteResults.js';
import type { ExitCode } from '../cliError.js';
import { CliError, usageError, version } from '../cliError.js';
import { findServer, startServer } from '../cliHost.js';
import { lazyChecks } from '../lazyChecks.js';
import type { CliOption } from '../options.js';
import { serverOptions, optionText, optionTexts } from '../options.js';
import type { Output } from '../output.js';
import { refusedQuestions } from '../programPorts.js';
import { servingLog } from '../serveClients.js';
import type { Command, CommandRun } from './command.js';
import { serverAndWords, withServers } from './serverCommand.js';

const options: Readonly<Record<string, CliOption>> = {
  scenario: { value: 'NAME', isRepeated: true, help: 'Run only this scenario of the suite. Can be repeated.' },
  revision: {
    value: 'DATE',
    help: `${suiteRevisions.join(' or ')}. Default: the version of the connection to the server.`,
  },
  ...serverOptions,
};

export const conformanceCommand: Command = {
  words: '<server>',
  help: 'Run the official conformance suite against a server. Ends with 1 if a required scenario failed.',
  options,
  examples: [
    'mcp-deck conformance calculator --yes',
    'mcp-deck conformance --url http://localhost:3000/mcp --scenario ping',
    'mcp-deck conformance calculator --revision 2026-07-28 --json --yes',
  ],
  run: async (run) => {
    const { server } = serverAndWords(run, [], 0);
    const revision = revisionOf(run);
    const program = await findSuite(run.folder, process.execPath);
    await approve(run, program);
    return withServers(
      run,
      async (host) => {
        const id = findServer(host, server);
        run.output.progress(`Starting ${visibleLine(id, 60)}…`);
        await startServer(host, id, run.questions, run.signal);
        const used = revision ?? suiteRevisionFor(host.servers.get(id)?.features?.identity.revision ?? '');
        const results = await runOn(run, host, id, { program, revision: used });
        const isOk = results.every(({ status, isScored }) => status !== 'failed' || !isScored);
        if (run.output.isJson)
          run.output.json({ ok: isOk, server: id, revision: used, suite: program.version, scenarios: results });
        else draw(run.output, used, results);
        return (isOk ? 0 : 1) satisfies ExitCode;
      },
      refusedQuestions,
    );
  },
};

function revisionOf({ options: parsed }: CommandRun): SuiteRevision | undefined {
  const text = optionText(parsed, 'revision');
  const revision = suiteRevisions.find((one) => one === text);
  if (text !== undefined && revision === undefined)
    throw usageError(`--revision must be ${suiteRevisions.join(' or ')}.`);
  return revision;
}

/** Shows which program the suite is, because a package of a repository or of npm runs with the user's permissions. */
async function approve({ questions }: CommandRun, { command, args, isInstalled, version: of }: SuiteProgram) {
  const source = isInstalled ? 'the package in this project' : 'npx, which downloads it from the npm registry';
  const line = [command, ...args].map((word) => visibleLine(word, 500)).join(' ');
  const text = `The conformance suite ${visibleLine(of, 40)} is run by ${source}:\n  ${line}`;
  await questions.confirm(text, 'Run it? [y/N] ', 'The conformance suite was not run.');
}

async function runOn(
  run: CommandRun,
  host: McpHost,
  server: string,
  { program, revision }: { program: SuiteProgram; revision: SuiteRevision },
): Promise<ScenarioResult[]> {
  const { output, folder, signal, options: parsed } = run;
  try {
    return await runSuiteOnServer({
      host,
      server,
      openFront: openPrivateFront,
      info: { name: 'mcp-deck', title: 'MCP Deck', version },
      log: servingLog(output),
      validate: lazyChecks(),
      program,
      revision,
      scenarios: optionTexts(parsed, 'scenario'),
      folder,
      env: process.env,
      signal,
      onScenario: (name) => output.progress(`${visibleLine(name, 60)}…`),
    });
  } catch (error) {
    if (error instanceof UserError) throw new CliError(2, 'suite-failed', error.message);
    throw error;
  } finally {
    output.clearProgress();
  }
}

const marks = { passed: ['✓', 'green'], failed: ['✗', 'red'], skipped: ['–', 'yellow'] } as const;

function draw(output: Output, revision: string, results: readonly ScenarioResult[]): void {
  for (const { name, status, isScored, checks, link } of results) {
    const [mark, style] = marks[status];
    const note = isScored ? '' : output.style('  not required', 'dim');
    output.line(`${output.style(mark, style)} ${visibleLine(name, 100)}${note}`);
    const shown = checks.filter((check) => check.status === 'failed' || check.status === 'warning');
    for (const check of shown) {
      const kind = check.status === 'warning' ? 'warning: ' : '';
      output.line(`    ${kind}${visibleLine(check.message ?? check.description, 500)}`);
    }
    if (status === 'failed' && checks.length === 0) output.line('    The scenario ended without a result.');
    if (shown.length > 0 && link !== undefined) output.line(`    ${output.style(link, 'dim')}`);
  }
  const count = (status: ScenarioResult['status']) =>
    results.filter((one) => one.status === status && one.isScored).length;
  const failed = count('failed');
  const skipped = count('skipped') === 0 ? '' : `, ${count('skipped')} without checks`;
  output.line(
    `${output.style(`${failed} failed`, failed === 0 ? 'dim' : 'red')}, ${count('passed')} passed${skipped} (${revision})`,
  );
  if (failed > 0)
    output.note('Many scenarios need the tools, resources, and prompts that the documentation of the suite describes.');
}
