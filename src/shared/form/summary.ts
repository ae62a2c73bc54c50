import { t } from '@vscode/l10n';
import type { FormState } from './formState.js';
import { valueOf } from './formValue.js';
import type { JsonValue } from '../json.js';
import { isObject } from '../json.js';
import { jsonText } from './formJson.js';
import type { Place } from './place.js';

const maxShown = 4;

/** A one-line summary of a place, for a collapsed group: `2 items`, `name: report, size: 3`, `Not set`. */
export function summaryOf({ state, field }: Place, maxLength = 80): string {
  const text = summary(state, field.default);
  return text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
}

function summary(state: FormState, fallback: JsonValue | undefined): string {
  switch (state.kind) {
    case 'absent':
      return fallback === undefined ? t('Not set') : t('Not set. The default is {0}', short(fallback));
    case 'list':
      return state.items.length === 1 ? t('1 item') : t('{0} items', state.items.length);
    case 'object': {
      const members = state.members.filter((member) => member.state.kind !== 'absent');
      if (members.length === 0) return t('Empty');
      const shown = members.slice(0, maxShown).map((member) => `${member.name}: ${short(valueOf(member.state))}`);
      return [...shown, ...(members.length > maxShown ? [t('{0} more', members.length - maxShown)] : [])].join(', ');
    }
    case 'variant':
      return summary(state.state, undefined);
    default:
      return short(valueOf(state));
  }
}

/** A value in at most 40 characters. A list is shown as its number of items, and an object as `{…}`. */
function short(value: JsonValue | undefined): string {
  if (value === undefined) return t('Not set');
  if (Array.isArray(value)) return value.length === 1 ? t('1 item') : t('{0} items', value.length);
  if (isObject(value)) return '{…}';
  const text = typeof value === 'string' ? value : (jsonText(value) ?? '…');
  return text.slice(0, 40).replace(/\s+/g, ' ').trim() || '""';
}

/** The name of the selected variant. */
export function variantLabel({ node, state }: Place): string | undefined {
  return node.kind === 'variant' && state.kind === 'variant' ? node.variants[state.index]?.label : undefined;
}
