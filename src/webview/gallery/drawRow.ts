import { t } from '@vscode/l10n';
import type { GalleryRow, Need } from '../../shared/galleryPage.js';
import type { Child } from '../page/dom.js';
import { el, icon } from '../page/dom.js';

/** One server in the list: title, name, description, and what it needs. */
export function drawRow(row: GalleryRow, id: string): HTMLElement {
  const { title, description, warning, version, age, source } = row;
  const facts = [version, ...(age === undefined ? [] : [t('{0} ago', age)]), source].filter((text) => text !== '');
  return el(
    'div',
    { class: warning === undefined ? 'row' : 'row row-deprecated', id, attributes: { role: 'option' } },
    el('div', { class: 'row-head' }, el('span', { class: 'row-title' }, title), ...statusBadges(row)),
    el('div', { class: 'row-name' }, ...drawName(row)),
    description !== '' && el('div', { class: 'row-description' }, description),
    el(
      'div',
      { class: 'row-facts' },
      el('span', { class: 'hint' }, facts.join(' · ')),
      ...row.needs.map((need) => needBadge(need)),
      row.isRemote && el('span', { class: 'badge' }, icon('globe'), t('Remote')),
    ),
  );
}

/** The name, with a mark if the registry verified that the publisher owns it. */
export function drawName({ name, isVerified }: GalleryRow): Child[] {
  const text = t('The registry verified that the publisher owns this name.');
  return [
    el('span', {}, name),
    isVerified &&
      el('span', { class: 'verified', title: text }, icon('verified'), el('span', { class: 'spoken' }, t('verified'))),
  ];
}

/** The badge of a deprecated or deleted server, whose tooltip has the reason; empty for other servers. */
export function statusBadges({ warning }: Pick<GalleryRow, 'warning'>): Child[] {
  return warning === undefined
    ? []
    : [el('span', { class: 'badge badge-warning', title: warning.reason }, icon('warning'), warning.badge)];
}

/** A program that the server needs, and whether it is on this machine. The state has an icon and a text. */
export function needBadge({ name, isHere, remedy }: Need): HTMLElement {
  return isHere
    ? el('span', { class: 'badge', title: t('{0} is installed here.', name) }, icon('check'), name)
    : el('span', { class: 'badge badge-warning', title: remedy }, icon('circle-slash'), t('{0} is missing', name));
}
