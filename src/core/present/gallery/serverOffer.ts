/** Everything that the page *Find a Server* shows about one server. */
import { t } from '@vscode/l10n';
import type { ServerOffer } from '../../../shared/galleryPage.js';
import { shownText, visibleLine } from '../../base/hostileText.js';
import { valueAt } from '../../base/guards.js';
import { visibleName } from '../../base/visibleName.js';
import type { FoundServer } from '../../gallery/gallery.js';
import { nameParts } from '../../gallery/galleryEntry.js';
import { linkTarget } from '../text/linkTarget.js';
import type { RowFacts } from './serverRows.js';
import { ageText, serverRow } from './serverRows.js';
import { readWays, serverOf, suggestedWay } from './ways.js';

/**
 * The details of a server from a registry, for the page *Find a Server*.
 * @param blocked the rule that blocks the server, as a sentence.
 */
export function serverOffer(found: FoundServer, facts: RowFacts, blocked?: string): ServerOffer {
  const { place, entry } = found;
  const server = serverOf(entry.json);
  const ways = readWays(entry.json, facts.programs);
  const suggested = suggestedWay(ways);
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
    ...(blocked === undefined ? {} : { blocked }),
    ways,
    ...(suggested === undefined ? {} : { suggested }),
  };
}

/** Only web addresses become links. The page asks before it opens one. */
function link(label: string, href: unknown): ServerOffer['links'] {
  return typeof href === 'string' && href.length <= 2_000 && linkTarget(href) instanceof URL ? [{ label, href }] : [];
}
