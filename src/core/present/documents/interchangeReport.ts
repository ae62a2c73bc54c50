import { t } from '@vscode/l10n';
import { visibleLine } from '../../base/hostileText.js';
import type { Loss } from '../../interchange/portableServer.js';
import { wrapText } from '../text/lines.js';

/** The result of an import or export, for the user: each server with its differences by field. */
export interface InterchangeReport {
  /** A sentence that states what was done. */
  title: string;
  /** Names of the servers that were transferred. */
  servers: readonly string[];
  losses: readonly Loss[];
  /** The servers that were not transferred. */
  unusable: readonly { name: string; reason: string }[];
}

/** The report as plain text. */
export function interchangeText({ title, servers, losses, unusable }: InterchangeReport): string {
  const lines = [title, ''];
  for (const name of servers) {
    const own = losses.filter(({ server }) => server === name);
    lines.push(
      `${visibleLine(name)}  ${own.length === 0 ? t('complete') : ''}`.trimEnd(),
      ...own.map(
        ({ field, message }) =>
          `    ${wrapText(`${field === '' ? '' : `${visibleLine(field, 120)}: `}${message}`, 90, '      ')}`,
      ),
    );
  }
  const others = losses.filter(({ server }) => !servers.includes(server));
  for (const { server, field, message } of others)
    lines.push(
      visibleLine(server),
      `    ${wrapText(`${field === '' ? '' : `${visibleLine(field, 120)}: `}${message}`, 90, '      ')}`,
    );
  if (unusable.length > 0)
    lines.push(
      '',
      t('Not transferred'),
      ...unusable.map(({ name, reason }) => `    ${visibleLine(name)}: ${visibleLine(reason, 400)}`),
    );
  return `${lines.join('\n')}\n`;
}
