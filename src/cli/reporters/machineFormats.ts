import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { visibleLine, visibleText } from '../../core/base/hostileText.js';
import type { CaseResult, TestFailure } from '../../core/testing/testModel.js';
import { safeJson } from '../output.js';
import { prettyReporter } from './pretty.js';
import type { Reporter, ReporterContext } from './reporter.js';
import { countsOf, titleOf } from './reporter.js';

/** All results as one JSON document. */
export function jsonReporter({ folder, write }: ReporterContext): Reporter {
  return {
    onEnd: ({ files, durationMs }) => {
      const counts = countsOf(files);
      const cases = files
        .flatMap((file) => file.cases)
        .map((one) => ({ ...one, file: path.relative(folder, one.file) }));
      const servers = files.map(({ file, era, stderr }) => ({ file: path.relative(folder, file), era, stderr }));
      write(safeJson({ ok: counts.failed === 0, ...counts, durationMs, cases, servers }));
    },
  };
}

/** JUnit XML: a test suite for each file and era, with the error output of the server. */
export function junitReporter({ folder, write }: ReporterContext): Reporter {
  return {
    onEnd: ({ files, durationMs }) => {
      const { passed, failed, skipped } = countsOf(files);
      write('<?xml version="1.0" encoding="UTF-8"?>');
      write(
        `<testsuites name="mcp-deck" tests="${passed + failed + skipped}" failures="${failed}" skipped="${skipped}" time="${seconds(durationMs)}">`,
      );
      for (const suite of files) {
        const file = path.relative(folder, suite.file);
        const counts = countsOf([suite]);
        const time = suite.cases.reduce((sum, one) => sum + one.durationMs, 0);
        const name = suite.era === 'auto' ? file : `${file} (${suite.era})`;
        write(
          `  <testsuite name="${xml(name)}" tests="${suite.cases.length}" failures="${counts.failed}" skipped="${counts.skipped}" time="${seconds(time)}">`,
        );
        for (const one of suite.cases) for (const line of caseXml(one, name, file)) write(`    ${line}`);
        if (suite.stderr.length > 0) write(`    <system-err>${xml(suite.stderr.join('\n'))}</system-err>`);
        write('  </testsuite>');
      }
      write('</testsuites>');
    },
  };
}

function caseXml(one: CaseResult, suite: string, file: string): string[] {
  const head = `<testcase name="${xml(titleOf(one))}" classname="${xml(suite)}" file="${xml(file)}" line="${one.line}" time="${seconds(one.durationMs)}"`;
  if (one.status === 'passed') return [`${head}/>`];
  if (one.status === 'skipped') return [`${head}><skipped message="${xml(one.reason ?? '')}"/></testcase>`];
  const first = one.failures[0]?.message ?? '';
  const text = one.failures.map((failure) => `${file}:${failure.line}: ${wholeText(failure)}`).join('\n');
  return [`${head}><failure message="${xml(first)}">${xml(text)}</failure></testcase>`];
}

/** Annotations of GitHub Actions at the lines of the expectations, and a summary of the job. */
export function githubReporter(context: ReporterContext): Reporter {
  const pretty = prettyReporter(context);
  const { folder, write } = context;
  return {
    ...pretty,
    onEnd: (result) => {
      pretty.onEnd(result);
      const cases = result.files.flatMap((file) => file.cases);
      for (const one of cases)
        for (const failure of one.failures) {
          const file = path.relative(folder, one.file).replaceAll('\\', '/');
          const place = `file=${property(file)},line=${failure.line},col=${failure.column},title=${property(titleOf(one))}`;
          write(`::error ${place}::${data(visibleText(wholeText(failure), 4_000))}`);
        }
      const summary = process.env['GITHUB_STEP_SUMMARY'];
      if (summary !== undefined && summary !== '') appendFileSync(summary, summaryText(cases, folder));
    },
  };
}

function summaryText(cases: readonly CaseResult[], folder: string): string {
  const cell = (text: string) => visibleLine(text, 300).replace(/[|<>\\`[\]*_~!#&]/g, ' ');
  const failed = cases.filter(({ status }) => status === 'failed');
  const passed = cases.filter(({ status }) => status === 'passed').length;
  const rows = failed.map(
    (one) =>
      `| ${cell(titleOf(one))} | ${cell(path.relative(folder, one.file))}:${one.failures[0]?.line ?? one.line} | ${cell(one.failures[0]?.message ?? '')} |\n`,
  );
  const table = rows.length === 0 ? '' : `| Test | Line | Failure |\n| --- | --- | --- |\n${rows.join('')}`;
  return `### MCP tests: ${passed} of ${cases.length} passed\n\n${table}\n`;
}

function wholeText({ message, expected, actual }: TestFailure): string {
  const parts = [message];
  if (expected !== undefined) parts.push(`expected: ${expected}`);
  if (actual !== undefined) parts.push(`actual: ${actual}`);
  return parts.join('\n');
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(3);
}

/** Text for XML 1.0, which does not allow control characters. */
function xml(text: string): string {
  const names: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return (
    visibleText(text, 20_000)
      .replace(/\r\n?/g, '\n')
      .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
      .replace(/[&<>"]/g, (char) => names[char] ?? char)
      // Escapes workflow commands, because the log of a workflow can contain the report.
      .replace(/##(?=\[|vso\[)/gi, '#&#35;')
      .replace(/^([^\S\n]*)::/gm, '$1&#58;:')
  );
}

/** Escapes a text for the message of a workflow command. */
function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
function property(text: string): string {
  return data(visibleText(text, 1_000)).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
