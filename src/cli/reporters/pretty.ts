import path from 'node:path';
import { durationText } from '../../shared/amountText.js';
import { visibleLine, visibleText } from '../../core/base/hostileText.js';
import type { CaseResult } from '../../core/testing/testModel.js';
import { withoutCommands } from '../output.js';
import type { Reporter, ReporterContext } from './reporter.js';
import { countsOf, titleOf } from './reporter.js';

/** Maximum length of a value in a failure, in characters. */
const maxValue = 2_000;

/**
 * The lines of a text. A carriage return also ends a line, because on a terminal the text after it would overwrite the
 * line.
 */
function linesOf(text: string): string[] {
  return visibleText(text, maxValue).split(/\r\n?|\n/);
}

/** Results for readers: one line per case, and each failure with its line, the expected and the actual value. */
export function prettyReporter({ output, folder, write: writeLine }: ReporterContext): Reporter {
  const write = (line: string) => writeLine(withoutCommands(line));
  let lastFile: string | undefined;
  const marks = {
    passed: output.style('✓', 'green'),
    failed: output.style('✗', 'red'),
    skipped: output.style('–', 'yellow'),
  };
  const value = (label: string, text: string | undefined) => {
    if (text === undefined) return;
    const lines = linesOf(text);
    for (const [index, line] of lines.entries()) write(`      ${(index === 0 ? label : '').padEnd(9)} ${line}`);
  };
  const show = (result: CaseResult) => {
    const file = path.relative(folder, result.file);
    if (file !== lastFile) write(output.style(visibleLine(file, 300), 'bold'));
    lastFile = file;
    const more =
      result.status === 'skipped'
        ? (result.reason ?? '') === ''
          ? ''
          : ` (${visibleLine(result.reason ?? '')})`
        : ` ${output.style(durationText(result.durationMs), 'dim')}${result.attempts > 1 ? ` after ${result.attempts} attempts` : ''}`;
    write(`  ${marks[result.status]} ${visibleLine(titleOf(result), 300)}${more}`);
    for (const { line, column, message, expected, actual } of result.failures) {
      write(`    ${visibleLine(file, 300)}:${line}:${column}`);
      write(`      ${output.style(linesOf(message).join('\n      '), 'red')}`);
      value('expected', expected);
      value('actual', actual);
    }
  };
  return {
    onCase: show,
    onEnd: ({ files, durationMs }) => {
      for (const { file, cases, stderr } of files) {
        if (stderr.length === 0 || cases.every(({ status }) => status !== 'failed')) continue;
        write(`Last lines of the server's error output (${visibleLine(path.relative(folder, file), 300)}):`);
        for (const line of stderr.slice(-10)) write(`  | ${visibleLine(line, 300)}`);
      }
      const { passed, failed, skipped } = countsOf(files);
      const parts = [
        ...(failed > 0 ? [output.style(`${failed} failed`, 'red')] : []),
        output.style(`${passed} passed`, 'green'),
        ...(skipped > 0 ? [`${skipped} skipped`] : []),
      ];
      write(`${parts.join(', ')} (${durationText(durationMs)})`);
    },
  };
}
