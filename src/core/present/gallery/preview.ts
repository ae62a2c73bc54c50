/**
 * The preview of everything that a server from a registry would run and send. It is shown before anything is written or
 * started.
 */
import { createHash } from 'node:crypto';
import { t } from '@vscode/l10n';
import type { Preview } from '../../../shared/galleryPage.js';
import { exactText } from '../../base/exactText.js';
import type { InputDefinition } from '../../config/serverDefinition.js';
import { describePortable } from '../../interchange/portableDefinition.js';
import type { PortableServer } from '../../interchange/portableServer.js';

/** A placeholder: where the server is saved is not decided yet, and the folder does not change what is shown. */
const source = { id: 'gallery', kind: 'vscode' as const, label: '' };

/**
 * Maximum length of a preview that is considered read, in UTF-16 code units. After a longer preview, the user is asked
 * before the start.
 */
const maxRead = 2_000;

/**
 * Describes the start of a server. Every value is exact (`exactText`) and whole.
 * @param entryWarning a warning about the entry of the registry.
 */
export function previewOf(server: PortableServer, inputs: readonly InputDefinition[], entryWarning?: string): Preview {
  const description = describePortable(server, inputs, source);
  if ('problem' in description) return problemPreview(description.problem);
  const { command, args = [], url = '', env, headers, warnings } = description;
  const sections = [
    { title: t('Environment variables'), lines: env },
    { title: t('HTTP headers'), lines: headers },
  ].filter(({ lines }) => lines.length > 0);
  return withId({
    line: command === undefined ? url : [command, ...args].map(wordOf).join(' '),
    sections,
    warnings: [...new Set([...warnings, ...(entryWarning === undefined ? [] : [entryWarning])])],
  });
}

/** The preview of a bundle before the download. What the server runs is in the bundle, so the next page shows that. */
export function bundlePreview(file: string, sha256: string): Preview {
  return withId({
    line: exactText(file),
    sections: [{ title: 'SHA-256', lines: [sha256] }],
    warnings: [
      t(
        'The file is downloaded and checked. The next page shows its settings and what it runs, before anything starts.',
      ),
    ],
  });
}

/** A preview that only states why nothing can be installed. */
export function problemPreview(problem: string): Preview {
  return withId({ line: '', sections: [], warnings: [], problem });
}

/**
 * Whether the preview showed everything that a start runs and sends, so that the button below it is the approval.
 * @param shownId the ID of the preview that the page showed when the user pressed the button.
 */
export function isRead(preview: Preview, shownId: string): boolean {
  return preview.id === shownId && preview.problem === undefined && JSON.stringify(preview).length <= maxRead;
}

function withId(preview: Omit<Preview, 'id'>): Preview {
  return { ...preview, id: createHash('sha256').update(JSON.stringify(preview)).digest('base64url') };
}

/** A word of a command line. A word with spaces is quoted, because it would look like several words. */
function wordOf(exact: string): string {
  return exact.includes(' ') && !exact.startsWith('"') ? JSON.stringify(exact) : exact;
}
