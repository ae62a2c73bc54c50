import '@vscode-elements/elements/dist/vscode-single-select/index.js';
import { t } from '@vscode/l10n';
import type { ChoiceNode } from '../../shared/form/form.js';
import { isIdenticalJson } from '../../shared/form/formJson.js';
import type { Place } from '../../shared/form/place.js';
import { el, focusOn } from '../page/dom.js';
import type { Control, ControlFrame } from './control.js';
import type { FormContext } from './formContext.js';

/** Maximum number of options without a search field. If there are more, the control has one. */
const maxPlainOptions = 12;

/** The label of the option without a value. */
function unsetLabel(fallback: string | undefined): string {
  if (fallback === undefined) return t('Not set');
  return fallback.toLowerCase() === 'default' ? t('Not set (default)') : t('{0} (default)', fallback);
}

/** A control that selects one of several values. */
export function choiceControl(context: FormContext, place: Place, node: ChoiceNode, frame: ControlFrame): Control {
  const { field } = place;
  const indexOf = ({ state }: Place) =>
    state.kind === 'value' ? node.options.findIndex(({ value }) => isIdenticalJson(value, state.value)) : -1;
  const fallback = node.options.find(
    ({ value }) => field.default !== undefined && isIdenticalJson(value, field.default),
  );
  const unset = { label: unsetLabel(fallback?.label), value: '', description: '' };
  const options = node.options.map(({ label, description = '' }, index) => ({
    label,
    value: String(index),
    description,
  }));
  // After a required choice was made, it cannot be cleared again.
  const offersUnset = !field.isRequired || indexOf(place) < 0;
  const all = offersUnset ? [unset, ...options] : options;
  const select = el('vscode-single-select', {
    class: 'select',
    id: frame.ids.control,
    attributes: { label: frame.spokenLabel ?? field.label, combobox: options.length > maxPlainOptions },
  });
  const show = (now: Place) => {
    const index = indexOf(now);
    select.options = all.map((option) => ({ ...option, selected: false, disabled: false }));
    select.value = index < 0 ? '' : String(index);
    select.selectedIndex = offersUnset ? index + 1 : index;
  };
  show(place);
  let shown = indexOf(place);
  select.addEventListener('change', () => {
    frame.onTouched();
    shown = select.value === '' ? -1 : Number(select.value);
    const option = node.options[shown];
    context.set(place.address, option ? { kind: 'value', value: option.value } : { kind: 'absent' });
  });
  return {
    element: el('div', { class: 'input-row plain' }, select),
    layout: 'line',
    focus: () => focusOn(select),
    setInvalid: (isInvalid) => (select.invalid = isInvalid),
    refresh: (now) => {
      if (indexOf(now) === shown) return;
      shown = indexOf(now);
      show(now);
    },
  };
}
