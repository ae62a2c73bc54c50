/** The servers of registries as rows of a list. Every text of a registry is made safe to show. */
import { t } from '@vscode/l10n';
import type { GalleryRow, Need } from '../../../shared/galleryPage.js';
import { shownText, visibleLine } from '../../base/hostileText.js';
import { visibleName } from '../../base/visibleName.js';
import type { GalleryMatch } from '../../gallery/gallery.js';
import type { GalleryEntry } from '../../gallery/galleryEntry.js';
import { nameParts } from '../../gallery/galleryEntry.js';
import type { ProgramSearch } from '../../gallery/neededProgram.js';
import { readInstallOptions } from './installOptions.js';

/** The facts about sources and this machine that rows need. */
export interface RowFacts {
  /** The name of a source, and whether it verifies names. */
  source: (place: string) => { name: string; isVerifying: boolean };
  programs: ProgramSearch;
  /** Milliseconds since the epoch. */
  now: number;
}

/**
 * Maximum length of a `server.json` that is read for a row, in UTF-16 code units. The packages of a longer one would
 * delay the list.
 */
const maxJsonOfRow = 32_000;

/** The row of one server. */
export function serverRow({ place, entry }: GalleryMatch, facts: RowFacts): GalleryRow {
  const { name, isVerifying } = facts.source(place);
  const options = entry.json.length > maxJsonOfRow ? [] : readInstallOptions(entry.json, facts.programs);
  const needs = new Map(options.flatMap(({ need }): [string, Need][] => (need ? [[need.name, need]] : [])));
  return {
    key: { place, name: entry.name },
    title: titleOf(entry),
    name: visibleName(entry.name, 200),
    description: visibleLine(entry.description, 300),
    source: name,
    isVerified: isVerifying,
    version: visibleName(entry.version, 60),
    ...(entry.publishedAt === undefined ? {} : { age: ageText(facts.now - Date.parse(entry.publishedAt)) }),
    ...(entry.status === 'active'
      ? {}
      : {
          warning: { badge: entry.status === 'deleted' ? t('Deleted') : t('Deprecated'), reason: deprecation(entry) },
        }),
    needs: [...needs.values()],
    isRemote: options.some(({ id }) => id.startsWith('remotes/')),
  };
}

/** The title, or the last part of the name. */
function titleOf({ title, name }: Pick<GalleryEntry, 'title' | 'name'>): string {
  return visibleName(title ?? nameParts(name).short, 120) || visibleName(name);
}

/** Why the server is deprecated or deleted, as a sentence. */
function deprecation({ status, statusMessage = '' }: GalleryEntry): string {
  const reason = shownText(statusMessage, 500).trim();
  const isDeleted = status === 'deleted';
  if (reason === '')
    return isDeleted
      ? t('The publisher deleted this server from the registry.')
      : t('The publisher marked this server as deprecated.');
  return isDeleted ? t('Deleted from the registry: {0}', reason) : t('Deprecated: {0}', reason);
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/**
 * A long time in its largest unit: `5 minutes`, `3 months`. Times in the future count as now. @param ms milliseconds.
 */
export function ageText(ms: number): string {
  const count = (unit: number) => Math.floor(ms / unit);
  if (ms < 2 * 60_000) return t('1 minute');
  if (ms < 2 * hourMs) return t('{0} minutes', count(60_000));
  if (ms < 2 * dayMs) return t('{0} hours', count(hourMs));
  if (ms < 60 * dayMs) return t('{0} days', count(dayMs));
  if (ms < 730 * dayMs) return t('{0} months', count(30.44 * dayMs));
  return t('{0} years', count(365.25 * dayMs));
}
