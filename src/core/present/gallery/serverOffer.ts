/** Everything that the page *Find a Server* shows about one server. */
import { createHash } from 'node:crypto';
import { t } from '@vscode/l10n';
import type { LatestEntry, ServerOffer } from '../../../shared/galleryPage.js';
import { shownText, visibleLine } from '../../base/hostileText.js';
import { valueAt } from '../../base/guards.js';
import { visibleName } from '../../base/visibleName.js';
import type { GalleryMatch } from '../../gallery/gallery.js';
import type { GalleryEntry } from '../../gallery/galleryEntry.js';
import { nameParts } from '../../gallery/galleryEntry.js';
import { linkTarget } from '../text/linkTarget.js';
import type { RowFacts } from './serverRows.js';
import { ageText, serverRow } from './serverRows.js';
import { readInstallOptions, serverOf, suggestedOption } from './installOptions.js';

/**
 * The details of a server from a registry, for the page *Find a Server*.
 * @param options.blocked the rule that blocks the server, as a sentence.
 * @param options.latest the entry that the list has now; default: the found one.
 */
export function serverOffer(
  found: GalleryMatch,
  facts: RowFacts,
  { blocked, latest = found.entry }: { blocked?: string | undefined; latest?: GalleryEntry } = {},
): ServerOffer {
  const { place, entry } = found;
  const server = serverOf(entry.json);
  const options = readInstallOptions(entry.json, facts.programs);
  const suggested = suggestedOption(options);
  const { publisher } = nameParts(entry.name);
  const time = (name: string, iso: string | undefined) =>
    iso === undefined ? [] : [{ name, value: t('{0} ago', ageText(facts.now - Date.parse(iso))) }];
  return {
    key: { place, name: entry.name, version: entry.version },
    row: serverRow(found, facts),
    description: shownText(entry.description, 4_000),
    facts: [
      ...(publisher === '' ? [] : [{ name: t('Publisher'), value: visibleName(publisher, 120) }]),
      { name: t('Source'), value: `${facts.source(place).name} (${visibleLine(place, 200)})` },
      ...time(t('Published'), entry.publishedAt),
      ...time(t('Updated'), entry.updatedAt),
    ],
    links: [
      ...link(t('Repository'), valueAt(server, ['repository', 'url'])),
      ...link(t('Website'), server['websiteUrl']),
    ],
    latest: latestEntry(latest),
    ...(blocked === undefined ? {} : { blocked }),
    options,
    ...(suggested === undefined ? {} : { suggested }),
  };
}

/** Identifies an entry, so that the page knows whether it still shows the latest one. */
export function latestEntry({ version, status, statusMessage, json }: GalleryEntry): LatestEntry {
  const id = createHash('sha256')
    .update(JSON.stringify([version, status, statusMessage, json]))
    .digest('base64url');
  return { version: visibleName(version, 60), id };
}

/** Only web addresses become links. The page asks before it opens one. */
function link(label: string, href: unknown): ServerOffer['links'] {
  return typeof href === 'string' && href.length <= 2_000 && linkTarget(href) instanceof URL ? [{ label, href }] : [];
}
