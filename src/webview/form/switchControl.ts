import { t } from '@vscode/l10n';
import type { Place } from '../../shared/form/place.js';
import { el, setAttributes } from '../page/dom.js';
import type { Control, ControlFrame } from './control.js';
import type { FormContext } from './formContext.js';

/** A switch for a Boolean value. Its label shows the value, or states that the value is not set. */
export function switchControl(context: FormContext, place: Place, frame: ControlFrame): Control {
  const input = el('input', {
    class: 'switch',
    attributes: {
      id: frame.ids.control,
      type: 'checkbox',
      role: 'switch',
      'aria-describedby': frame.ids.describedBy,
      'aria-label': frame.spokenLabel,
    },
  });
  const word = el('label', { class: 'switch-word', attributes: { for: frame.ids.control, 'aria-hidden': 'true' } });
  const show = ({ state, field }: Place) => {
    const isSet = state.kind === 'value';
    input.checked = isSet ? state.value === true : field.default === true;
    input.classList.toggle('unset', !isSet);
    word.textContent = isSet
      ? state.value === true
        ? t('true')
        : t('false')
      : field.default === undefined
        ? t('not set')
        : field.default === true
          ? t('true, by default')
          : t('false, by default');
  };
  show(place);
  input.addEventListener('change', () => {
    frame.onTouched();
    context.set(place.address, { kind: 'value', value: input.checked });
  });
  return {
    element: el('div', { class: 'switch-row' }, input, word),
    layout: 'line',
    focus: () => input.focus(),
    setInvalid: (isInvalid) => setAttributes(input, { 'aria-invalid': isInvalid ? 'true' : undefined }),
    refresh: show,
  };
}
