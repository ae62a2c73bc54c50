import { t } from '@vscode/l10n';
import type { Field } from '../../shared/form/form.js';
import { shownBounds } from '../../shared/form/hints.js';
import type { Place } from '../../shared/form/place.js';

/** The constraints of a field in a few words, such as `1 to 30`, `integer`, or `email`. */
export function factsOf({ node, field }: Place): string {
  const facts: string[] = [];
  if (field.isReadOnly === true) facts.push(t('read-only'));
  if (field.isDeprecated === true) facts.push(t('deprecated'));
  switch (node.kind) {
    case 'number': {
      const { isInteger, isMinimumExclusive, isMaximumExclusive } = node;
      const { minimum, maximum } = shownBounds(node);
      const lowest =
        minimum === undefined
          ? undefined
          : isMinimumExclusive
            ? t('more than {0}', minimum)
            : t('at least {0}', minimum);
      const highest =
        maximum === undefined
          ? undefined
          : isMaximumExclusive
            ? t('less than {0}', maximum)
            : t('at most {0}', maximum);
      const isClosed = isMinimumExclusive !== true && isMaximumExclusive !== true;
      const range =
        minimum !== undefined && maximum !== undefined && isClosed
          ? t('{0} to {1}', minimum, maximum)
          : [lowest, highest].filter((bound) => bound !== undefined).join(', ') || undefined;
      facts.push(
        ...[isInteger && range === undefined ? t('integer') : undefined, range].filter((fact) => fact !== undefined),
      );
      break;
    }
    case 'text':
      if (node.format === 'email' || node.format === 'uuid' || node.format === 'color') facts.push(node.format);
      else if (node.format === 'uri') facts.push('URL');
      else if (node.format === 'date-time') facts.push(t('date and time'));
      else if (node.format === 'time') facts.push(t('time'));
      else if (node.format === 'json') facts.push('JSON');
      break;
    case 'list': {
      const { minItems, maxItems } = node;
      if (minItems !== undefined && minItems > 0 && maxItems !== undefined)
        facts.push(t('{0} to {1}', minItems, maxItems));
      else if (minItems !== undefined && minItems > 1) facts.push(t('at least {0}', minItems));
      else if (maxItems !== undefined) facts.push(t('at most {0}', maxItems));
      break;
    }
    default:
      break;
  }
  return facts.join(' · ');
}

/**
 * The placeholder of an empty control: the default of the server, or the placeholder of the field. A default is labeled
 * as such, because it is not sent.
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
