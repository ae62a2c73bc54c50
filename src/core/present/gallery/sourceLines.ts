/** The state of the sources as lines: how many servers, how old the list is, and what failed. */
import { t } from '@vscode/l10n';
import type { SourceLine } from '../../../shared/galleryPage.js';
import { HostError, UserError } from '../../base/hostError.js';
import { visibleLine } from '../../base/hostileText.js';
import type { SourceState } from '../../gallery/gallery.js';
import { failureText } from '../failure/failureText.js';
import { ageText } from './serverRows.js';

const minuteMs = 60_000;

/** The line of one source. */
export function sourceLine({ place, name, size, ageMs, isUpdating, error }: SourceState): SourceLine {
  const count = size === 1 ? t('1 server') : t('{0} servers', size);
  const age =
    ageMs === undefined ? [] : [ageMs < minuteMs ? t('list read just now') : t('list read {0} ago', ageText(ageMs))];
  const text = isUpdating ? [count, t('updating…')] : size === 0 && ageMs === undefined ? [] : [count, ...age];
  return {
    place,
    name: visibleLine(name, 80),
    text: text.join(', '),
    isUpdating,
    ...(error === undefined ? {} : { problem: problemOf(error, size > 0) }),
  };
}

function problemOf(error: unknown, hasList: boolean): NonNullable<SourceLine['problem']> {
  if (error instanceof UserError)
    return { text: visibleLine(error.message, 400), action: 'enterValues', label: t('Enter Value…') };
  const { what, next } = failureText(error, undefined);
  const text = [what, ...(hasList ? [t('The page shows the list that was read last.')] : []), next].join(' ');
  const kind = error instanceof HostError && error.code === 'registry-failed' ? error.data.problem : undefined;
  const isSetting = kind === 'sign-in' || kind === 'no-api' || kind === 'redirect' || kind === 'wrong-shape';
  return isSetting
    ? { text, action: 'openSettings', label: t('Open Settings') }
    : { text, action: 'refresh', label: t('Try Again') };
}
