import { visibleLine } from '../../core/base/hostileText.js';
import { loadValidator } from '../../core/schema/loadValidator.js';
import type { CountTokens } from '../../core/present/text/toolTokens.js';
import { countTools, knownTokens } from '../../core/present/text/toolTokens.js';
import type { McpHost } from '../../core/host/mcpHost.js';
import type { Finding, LintSeverity } from '../../core/testing/checks/lint/lintRule.js';
import { knownRules } from '../../core/testing/checks/lint/lintRules.js';
import type { LintReport } from '../../core/testing/checks/lint/lintServer.js';
import { lintServer } from '../../core/testing/checks/lint/lintServer.js';
import { lintSubject, probeServer } from '../../core/testing/checks/lint/lintSubject.js';
import type { HostVerdict } from '../../core/testing/checks/hosts/hostVerdicts.js';
import { hostVerdicts } from '../../core/testing/checks/hosts/hostVerdicts.js';
import { nearestName } from '../../core/base/editDistance.js';
import type { ExitCode } from '../cliError.js';
import { CliError, usageError } from '../cliError.js';
import type { CliOption } from '../options.js';
import type { FuzzRun } from '../fuzzRun.js';
import { fuzzRun } from '../fuzzRun.js';
import { serverOptions, optionTexts } from '../options.js';
import type { Output } from '../output.js';
import type { Command, CommandRun } from './command.js';
import { serverAndWords, withServer } from './serverCommand.js';

const options: Readonly<Record<string, CliOption>> = {
  all: { help: 'Show notes, and every finding.' },
  fuzz: { help: 'Also call the tools that only read, with generated arguments.' },
  'fuzz-all': { help: 'Also call the tools that may change something. Needs --yes.' },
  runs: { value: 'N', help: 'Calls of each tool with --fuzz. Default: 50.' },
  seed: { value: 'N', help: 'The seed of the generated arguments. The same seed repeats a run.' },
  ignore: { value: 'RULE', isRepeated: true, help: 'Do not check this rule.' },
  ...serverOptions,
};

/** Findings of one rule that are shown without `--all`. */
const maxShown = 5;

export const lintCommand: Command = {
  words: '<server>',
  help: 'Check what a server offers against the rules of docs/check-rules.md. Ends with 1 if there are errors.',
  options,
  examples: [
    'mcp-deck lint calculator --yes',
    'mcp-deck lint --command "node server.mjs" --all',
    'mcp-deck lint --url http://localhost:3000/mcp --ignore output-schema-missing --json',
  ],
  run: async (run) => {
    const { server } = serverAndWords(run, [], 0);
    const ignored = ignoredRules(run);
    return withServer(run, server, async (host, id) => {
      const report = await check(run, host, id, ignored);
      // Read before calls with generated arguments, which can end the server.
      const tools = host.servers.get(id)?.features?.tools ?? [];
      const isFuzzing = run.options.values['fuzz'] === true || run.options.values['fuzz-all'] === true;
      const fuzz = isFuzzing ? await fuzzRun(run, host, id) : undefined;
      const ok = [...report.findings, ...(fuzz?.findings ?? [])].every(({ severity }) => severity !== 'error');
      const hosts = hostVerdicts(id, tools);
      await countTools(tools, countTokens, true);
      const tokens = {
        total: tools.reduce((sum, tool) => sum + (knownTokens([tool]) ?? 0), 0),
        tools: Object.fromEntries(tools.map((tool) => [tool.name, knownTokens([tool])])),
      };
      const { findings, more } = report;
      if (run.output.isJson)
        run.output.json({ ok, server: id, findings, more: Object.fromEntries(more), hosts, tokens, fuzz });
      else {
        drawHosts(run.output, hosts);
        run.output.line(`The tools need about ${tokens.total.toLocaleString('en')} tokens in each request to a model.`);
        if (fuzz) drawFuzz(run.output, fuzz);
        draw(run, id, report);
      }
      return (ok ? 0 : 1) satisfies ExitCode;
    });
  },
};

/** Loads the encoding, which is a file of its own because it is large. */
const countTokens: CountTokens = async (texts) => {
  const o200k = await import('../../core/present/text/o200k.js');
  return texts.map((text) => o200k.countTokens(text));
};

function ignoredRules({ options: parsed }: CommandRun): Set<string> {
  const names = optionTexts(parsed, 'ignore');
  for (const name of names) {
    if (knownRules.has(name)) continue;
    const nearest = nearestName(name, [...knownRules.keys()]);
    throw usageError(
      `The rule "${visibleLine(name, 60)}" is not known.${nearest === undefined ? '' : ` Did you mean "${nearest}"?`}`,
    );
  }
  return new Set(names);
}

async function check({ output, signal }: CommandRun, host: McpHost, id: string, ignored: Set<string>) {
  output.progress(`Checking ${visibleLine(id, 60)}…`);
  const probes = await probeServer(host.calls, id, { signal });
  const view = host.servers.get(id);
  if (!view?.features)
    throw new CliError(2, 'stopped', `The server "${visibleLine(id, 60)}" stopped before it was checked.`);
  const report = await lintServer(lintSubject(view, probes), { signal, ignored, validator: loadValidator });
  output.clearProgress();
  return report;
}

const styles = {
  error: ['✗', 'red'],
  warning: ['!', 'yellow'],
  info: ['·', 'dim'],
} as const;

function draw({ output, options: parsed }: CommandRun, server: string, { findings, more }: LintReport): void {
  const isAll = parsed.values['all'] === true;
  for (const [rule, found] of byRule(findings)) {
    const { severity } = found[0] ?? { severity: 'info' };
    if (severity === 'info' && !isAll) continue;
    const [mark, style] = styles[severity];
    const shown = isAll ? found : found.slice(0, maxShown);
    const rest = found.length - shown.length + (more.get(rule) ?? 0);
    output.line(`${output.style(mark, style)} ${output.style(rule, 'bold')}`);
    for (const finding of shown) output.line(`    ${findingLine(finding)}`);
    if (rest > 0) output.line(output.style(`    and ${rest} more`, 'dim'));
  }
  drawSummary(output, server, findings, more, isAll);
}

const hostMarks = { works: ['✓', 'green'], limited: ['!', 'yellow'], refused: ['✗', 'red'] } as const;

function drawHosts(output: Output, hosts: readonly HostVerdict[]): void {
  for (const { name, verdict, reasons } of hosts) {
    const [mark, style] = hostMarks[verdict];
    output.line(`${output.style(mark, style)} ${name}`);
    for (const { reason, count, source } of reasons)
      output.line(`    ${reason}${count === undefined ? '' : ` Tools: ${count}.`} ${output.style(source, 'dim')}`);
  }
}

function drawFuzz(output: Output, { seed, called, skipped, findings }: FuzzRun): void {
  for (const { rule, severity, tool, run, message, arguments: values } of findings) {
    const [mark, style] = styles[severity];
    output.line(
      `${output.style(mark, style)} ${output.style(rule, 'bold')} ${visibleLine(tool, 80)}, call ${run}: ${message}`,
    );
    output.line(`    ${visibleLine(values, 200)}`);
  }
  const left = skipped === 0 ? '' : ` ${skipped} tools may change something and were not called.`;
  output.line(`Called ${called} tools with generated arguments: ${findings.length} findings.${left} Seed: ${seed}.`);
}

function drawSummary(
  output: Output,
  server: string,
  findings: readonly Finding[],
  more: LintReport['more'],
  isAll: boolean,
): void {
  const count = (severity: LintSeverity) =>
    findings.filter((finding) => finding.severity === severity).length +
    [...more].reduce((sum, [rule, rest]) => sum + (knownRules.get(rule) === severity ? rest : 0), 0);
  const [errors, warnings, notes] = [count('error'), count('warning'), count('info')];
  const hint = notes > 0 && !isAll ? ' Use --all to see the notes.' : '';
  output.line(`${visibleLine(server, 100)}: ${errors} errors, ${warnings} warnings, ${notes} notes.${hint}`);
}

function findingLine({ target, message, pointer }: Finding): string {
  const name = target.kind === 'server' ? '' : `${visibleLine(target.name, 80)}: `;
  return `${name}${message}${pointer === undefined ? '' : ` (${visibleLine(pointer, 120)})`}`;
}

function byRule(findings: readonly Finding[]): Map<string, Finding[]> {
  const groups = new Map<string, Finding[]>();
  for (const finding of findings) {
    const group = groups.get(finding.rule);
    if (group) group.push(finding);
    else groups.set(finding.rule, [finding]);
  }
  return groups;
}
