import { t } from '@vscode/l10n';
import { visibleLine } from '../../base/hostileText.js';
import { visibleName } from '../../base/visibleName.js';
import type { StartDescription } from '../../config/describeStart.js';
import type { Loss } from '../../interchange/portableServer.js';
import { dialogPart } from '../text/lines.js';
import type { StartQuestion } from './startQuestion.js';
import { startSections } from './startQuestion.js';

/** A server that is written to the file of another app. */
export interface ServerToExport {
  name: string;
  /** What MCP Deck runs or contacts for the server, or why it cannot. The other app decides about the folder. */
  description: StartDescription | { problem: string };
  /** Whether the file has an entry of this name, which the server replaces. */
  isReplacement: boolean;
}

/** What an export leaves out: parts of servers, and whole servers with the reason. */
export interface LeftOut {
  losses: readonly Loss[];
  unusable: readonly { name: string; reason: string }[];
}

/** The names and places that a question about an export shows. */
export interface ExportTarget {
  /** The title of the app. */
  app: string;
  /** The path of the file, without symbolic links. */
  file: string;
}

/**
 * The question before servers are written to the file of another app. It shows what the servers run, which entries they
 * replace, which secrets become readable, and what is left out.
 * @param secrets sentences about secrets that are written as plain text.
 */
export function exportQuestion(
  { app, file }: ExportTarget,
  servers: readonly ServerToExport[],
  secrets: readonly string[],
  { losses, unusable }: LeftOut,
): StartQuestion {
  const list = (some: readonly ServerToExport[]) => some.map(({ name }) => visibleName(name, 60)).join(', ');
  const replacements = servers.filter(({ isReplacement }) => isReplacement);
  const left = [
    ...unusable.map(({ name, reason }) => `${visibleName(name, 60)}: ${visibleLine(reason, 300)}`),
    ...losses.map(
      ({ server, field, message }) =>
        `${visibleName(server, 60)}, ${visibleLine(field, 120)}: ${visibleLine(message, 300)}`,
    ),
  ];
  const whole = [
    t('{0} reads this file and might start the servers in it.', app),
    ...(replacements.length > 0 ? [t('Entries of the file that are replaced: {0}', list(replacements))] : []),
    ...secrets,
    ...servers.map((server) => serverText(server)),
    ...(left.length > 0 ? [[t('Some values cannot be written for {0}:', app), ...left].join('\n')] : []),
  ].join('\n\n');
  const detail = dialogPart(whole);
  return {
    message: t('Write {0} to {1}?', list(servers), visibleLine(file, 4_000)),
    detail,
    ...(detail === whole ? {} : { whole }),
  };
}

function serverText({ name, description }: ServerToExport): string {
  const lines = 'problem' in description ? [description.problem] : startSections(description);
  return [t('"{0}" as in MCP Deck:', visibleName(name, 60)), ...lines].join('\n');
}
