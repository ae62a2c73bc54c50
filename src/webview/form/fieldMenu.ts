import { t } from '@vscode/l10n';
import { clearAt, duplicateItem, resetAt, toForm, toJson } from '../../shared/form/edit.js';
import type { Form } from '../../shared/form/form.js';
import type { FormState } from '../../shared/form/formState.js';
import type { Place } from '../../shared/form/place.js';
import type { MenuItem } from '../page/menu.js';
import type { FormContext } from './formContext.js';

export interface MenuField {
  /** Redraws the field after a change, because its control may not show the change. */
  redraw: () => void;
  /** Redraws the surrounding fields after an item was added or removed. */
  redrawAround: () => void;
  insert: ((text: string) => void) | undefined;
}

/** The menu of a field, with actions such as resetting the value, setting it to null, and editing it as JSON. */
export function fieldMenu(context: FormContext, place: Place, field: MenuField): MenuItem[] {
  const { node, state, address } = place;
  const items: MenuItem[] = [];
  const change = (edit: (form: Form, whole: FormState) => FormState) => () => {
    context.change(edit);
    field.redraw();
  };
  const isNull = state.kind === 'value' && state.value === null;
  const isRemovable = place.role === 'item' || place.role === 'member';
  const { insert } = field;
  if (insert && node.kind === 'text') {
    for (const source of ['selection', 'file'] as const) {
      const label = source === 'selection' ? t('Insert Selected Text') : t('Insert Path of the Open File');
      items.push({
        label,
        icon: source === 'selection' ? 'selection' : 'go-to-file',
        run: () => void context.editorText(source).then((text) => text !== undefined && insert(text)),
      });
    }
  }
  if (place.field.default !== undefined && state.kind !== 'absent')
    items.push({
      label: t('Reset to Default'),
      icon: 'discard',
      run: change((form, whole) => resetAt(form, whole, address)),
    });
  if (state.kind !== 'absent' && !isRemovable && place.role !== 'root' && place.role !== 'content')
    items.push({ label: t('Clear'), icon: 'clear-all', run: change((form, whole) => clearAt(form, whole, address)) });
  if (node.kind === 'text' && state.kind === 'absent')
    items.push({ label: t('Set to Empty Text'), icon: 'quote', run: () => setTo({ kind: 'text', text: '' }) });
  if (node.isNullable === true && !isNull)
    items.push({ label: t('Set to Null'), icon: 'circle-slash', run: () => setTo({ kind: 'value', value: null }) });
  if (place.role === 'item')
    items.push({
      label: t('Duplicate'),
      icon: 'copy',
      run: () => around((form, whole) => duplicateItem(form, whole, address)),
    });
  if (state.kind !== 'json')
    items.push({ label: t('Edit as JSON'), icon: 'json', run: change((form, whole) => toJson(form, whole, address)) });
  else if (node.kind !== 'json')
    items.push({
      label: t('Back to the Form'),
      icon: 'list-unordered',
      run: change((form, whole) => toForm(form, whole, address)),
    });
  return items;

  function setTo(next: FormState): void {
    context.set(address, next);
    field.redraw();
  }

  function around(edit: (form: Form, whole: FormState) => FormState): void {
    context.change(edit);
    field.redrawAround();
  }
}
