/** The sentences for registries that cannot be read. */
import { t } from '@vscode/l10n';
import { sizeText } from '../../../shared/amountText.js';
import type { RegistryProblem } from '../../base/failureKinds.js';
import type { FailureFacts } from './failureFacts.js';
import type { KindText, KindTexts } from './kindText.js';
import { quoted } from './kindText.js';

type Facts = FailureFacts<'registry-failed'>;

export const registryKinds: KindTexts<'registry-failed', RegistryProblem> = {
  status: registry((f) =>
    f.text('detail', 200) === undefined
      ? t('The registry {0} answered with HTTP status {1}.', f.shown('place'), f.number('status') ?? 0)
      : t(
          'The registry {0} answered with HTTP status {1}: {2}',
          f.shown('place'),
          f.number('status') ?? 0,
          quoted(f.text('detail', 200)),
        ),
  ),
  'sign-in': registry(
    (f) => t('The registry {0} requires a sign-in (HTTP status {1}).', f.shown('place'), f.number('status') ?? 0),
    () => t('Add a header with a valid token to this registry in the settings.'),
  ),
  redirect: registry(
    (f) => t('The registry {0} redirects to {1}, which MCP Deck does not follow.', f.shown('place'), f.shown('detail')),
    () => t('If you trust the new URL, enter it in the settings.'),
  ),
  'redirect-too-often': registry((f) => t('The registry {0} redirects too many times.', f.shown('place'))),
  timeout: registry(
    (f) => t('The registry {0} did not answer completely within {1}.', f.shown('place'), f.span('limit') ?? ''),
    () => t('Try again later, or check the network connection and the proxy settings.'),
  ),
  cut: registry((f) => t('The registry {0} closed the connection before its answer was complete.', f.shown('place'))),
  'too-large': registry((f) =>
    t('An answer of the registry {0} is larger than {1}.', f.shown('place'), sizeText(f.number('limit') ?? 0)),
  ),
  'too-many': registry((f) =>
    t('The registry {0} lists more than {1} servers.', f.shown('place'), f.number('limit') ?? 0),
  ),
  'not-json': registry(
    (f) =>
      f.text('detail', 200) === undefined
        ? t('{0} is not valid JSON.', f.shown('place'))
        : t(
            'The registry {0} answered with text that is not JSON: {1}',
            f.shown('place'),
            quoted(f.text('detail', 200)),
          ),
    () => t('Check the URL. A proxy or a sign-in page might have answered instead of the registry.'),
  ),
  'wrong-shape': registry(
    (f) => t('{0} does not contain a list of servers.', f.shown('place')),
    () => t('Check the URL.'),
  ),
  endless: registry((f) => t('The list of the registry {0} does not end: its pages repeat.', f.shown('place'))),
  'no-api': registry(
    (f) => t('{0} is not a registry: it has neither /v0.1/servers nor /v0/servers.', f.shown('place')),
    () => t('Check the URL.'),
  ),
};

function registry(what: (facts: Facts) => string, next?: () => string): KindText<'registry-failed'> {
  return { what, short: what, ...(next ? { next } : {}) };
}
