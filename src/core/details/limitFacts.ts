import { t } from '@vscode/l10n';
import type { ServerDefinition } from '../config/serverDefinition.js';
import type { HostSettings } from '../config/hostSettings.js';
import { elapsedText } from '../present/text/runTexts.js';
import type { Fact } from '../../shared/serverPage.js';

/** Settings that apply to servers whose definition does not override them. */
export type LimitSetting = 'requestTimeoutMs' | 'startTimeoutMs' | 'stopGraceMs' | 'restartOnCrash';

/** The limits of a server with their origin: its definition, the settings, or the default. */
export function limitFacts(
  definition: ServerDefinition,
  settings: HostSettings,
  isSet: (setting: LimitSetting) => boolean,
): Fact[] {
  const fromSetting = (setting: LimitSetting) => (isSet(setting) ? t('settings') : t('default'));
  const limit = (
    name: string,
    field: string,
    own: number | undefined,
    setting: 'requestTimeoutMs' | 'startTimeoutMs',
  ): Fact => ({
    name,
    values: [limitText(own ?? settings[setting])],
    from: own === undefined ? fromSetting(setting) : t('definition, "{0}"', field),
  });
  const restarts = definition.restartOnCrash ?? settings.restartOnCrash;
  return [
    {
      name: t('Restart after a crash'),
      values: [restarts ? t('yes, after 0.5 to 30 s, until the fifth crash within 3 minutes') : t('no')],
      from:
        definition.restartOnCrash === undefined
          ? fromSetting('restartOnCrash')
          : t('definition, "{0}"', 'restartOnCrash'),
    },
    limit(t('Request timeout'), 'timeoutMs', definition.timeoutMs, 'requestTimeoutMs'),
    limit(t('Start timeout'), 'startTimeoutMs', definition.startTimeoutMs, 'startTimeoutMs'),
    ...(definition.type === 'stdio'
      ? [
          {
            name: t('Shutdown grace period'),
            values: [limitText(settings.stopGraceMs)],
            from: fromSetting('stopGraceMs'),
          },
        ]
      : []),
    ...(definition.maxMessagesPerSecond === undefined
      ? []
      : [
          {
            name: t('Messages sent per second'),
            values: [t('at most {0}', definition.maxMessagesPerSecond)],
            from: t('definition, "{0}"', 'maxMessagesPerSecond'),
          },
        ]),
  ];
}

/** A duration as text, with a fraction below ten seconds. */
function limitText(ms: number): string {
  if (ms < 1_000) return t('{0} ms', ms);
  return ms % 1_000 !== 0 && ms < 10_000 ? t('{0} s', ms / 1_000) : elapsedText(ms);
}
