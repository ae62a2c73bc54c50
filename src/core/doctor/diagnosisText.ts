import { t } from '@vscode/l10n';
import { wrapText } from '../present/text/lines.js';
import type { Check, CheckId } from './check.js';
import type { Diagnosis } from './doctor.js';

/** Maximum line width, in characters, so that a narrow editor shows whole lines. */
const lineWidth = 80;

const marks: Readonly<Record<Check['outcome'], string>> = { ok: '✓', warning: '!', failed: '✗', skipped: '–' };

/** A diagnosis as plain text, ready to be copied into a report; contains no secrets. */
export function diagnosisText(server: string, { checks }: Diagnosis): string {
  const titles = checkTitles();
  const width = Math.max(...Object.values(titles).map(({ length }) => length));
  const indent = ' '.repeat(width + 5);
  const lines = [
    t('Diagnosis of "{0}"', server),
    '',
    diagnosisSummary(checks),
    '',
    ...checks.flatMap(({ id, outcome, seen, fix }) => [
      `${marks[outcome]}  ${titles[id].padEnd(width)}  ${wrapText(seen, lineWidth, indent)}`,
      ...(fix === undefined ? [] : [`${indent}→ ${wrapText(fix, lineWidth, `${indent}  `)}`]),
    ]),
  ];
  return `${lines.join('\n')}\n`;
}

/** The result in one sentence: the fix of the first failed check, if there is one. */
export function diagnosisSummary(checks: readonly Check[]): string {
  const first = checks.find(({ outcome }) => outcome === 'failed');
  if (first) return t('What to do: {0}', first.fix ?? '');
  return checks.some(({ outcome }) => outcome === 'warning')
    ? t('The server works, but there are warnings.')
    : t('No problems were found.');
}

/** The title of each check in the language of the user. */
export function checkTitles(): Readonly<Record<CheckId, string>> {
  return {
    configuration: t('Configuration'),
    trust: t('Trust'),
    variables: t('Variables'),
    folder: t('Folder'),
    command: t('Command'),
    files: t('Files'),
    runtime: t('Runtime'),
    address: t('URL'),
    proxy: t('Proxy'),
    name: t('Name (DNS)'),
    port: t('Port'),
    certificate: t('Certificate (TLS)'),
    http: t('HTTP response'),
    'sign-in': t('Sign-in'),
    handshake: t('Handshake'),
    lists: t('Lists'),
  };
}
