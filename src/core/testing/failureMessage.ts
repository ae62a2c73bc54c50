import { t } from '@vscode/l10n';
import { durationText } from '../../shared/amountText.js';
import { logLine, visibleLine, visibleText } from '../base/hostileText.js';
import type { CaseResult, TestFailure } from './testModel.js';

/** A failure as an editor shows it: at the key of the expectation, with the difference. */
export interface TestFailureMessage {
  text: string;
  /** The position of the expectation; both numbers begin at 0, as in editors. */
  line: number;
  character: number;
  /** Both are present if a difference can be shown. */
  expected?: string;
  actual?: string;
  isSnapshot: boolean;
}

/** Maximum length of a message, in characters. */
const maxMessage = 2_000;
/** Maximum length of a value, in characters. */
const maxValue = 20_000;

/** The failure for an editor. Hidden characters in texts of the server are made visible. */
export function testFailureMessage({
  line,
  column,
  message,
  expected,
  actual,
  isSnapshot,
}: TestFailure): TestFailureMessage {
  const place = { line: Math.max(line - 1, 0), character: Math.max(column - 1, 0), isSnapshot: isSnapshot === true };
  const text = visibleText(message, maxMessage);
  if (actual === undefined)
    return { text: expected === undefined ? text : t('{0} Expected: {1}', text, expected), ...place };
  if (expected === undefined) return { text: `${text}\n${visibleText(actual, maxMessage)}`, ...place };
  return { text, expected: visibleText(expected, maxValue), actual: visibleText(actual, maxValue), ...place };
}

/** The lines about a case in the output of a run. */
export function caseLines({ name, era, status, durationMs, reason, failures }: CaseResult): string[] {
  const mark = { passed: '✓', failed: '✗', skipped: '–' }[status];
  const title = visibleLine(era === 'auto' ? name : `${name} (${era})`, 300);
  const more = status === 'skipped' ? visibleLine(reason ?? '', 300) : durationText(durationMs);
  return [
    `${mark} ${title}${more === '' ? '' : ` (${more})`}`,
    ...failures.flatMap(({ line, message }) =>
      visibleText(t('line {0}: {1}', line, message), maxMessage)
        .split('\n')
        .map((part) => `    ${part}`),
    ),
  ];
}

/**
 * Text with the line endings of a terminal, for the output of a run. Names of files come from the repository and can
 * contain control sequences.
 */
export function outputText(text: string): string {
  return `${visibleText(text, maxValue).replace(/\r\n?|\n/g, '\r\n')}\r\n`;
}

/** A line of the server's error output in the output of a run, without control characters. */
export function serverLine(server: string, line: string): string {
  return `${visibleLine(server, 60)}: ${logLine(line)}`;
}
