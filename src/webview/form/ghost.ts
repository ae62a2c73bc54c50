import { t } from '@vscode/l10n';
import type { Field } from '../../shared/form/form.js';

/**
 * The placeholder of an empty control: the default of the server, or an example. A default is labeled as such, because
 * it is not sent.
 */
export function ghostOf(field: Field): string {
  const fallback = defaultText(field);
  return fallback === '' ? (field.placeholder ?? '') : t('default: {0}', fallback);
}

/** The default of the server as text. Empty if there is none. */
export function defaultText({ default: fallback }: Field): string {
  if (fallback === undefined || fallback === null || fallback === '') return '';
  return typeof fallback === 'string' ? fallback : JSON.stringify(fallback);
}
