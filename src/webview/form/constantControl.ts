import { t } from '@vscode/l10n';
import type { ConstantNode } from '../../shared/form/form.js';
import type { Place } from '../../shared/form/place.js';
import { el, wordButton } from '../page/dom.js';
import type { Control, ControlFrame } from './control.js';
import type { FormContext } from './formContext.js';

/**
 * Shows the only allowed value. If it is optional and not set, a checkbox includes it; *Clear* in the menu leaves it
 * out again.
 */
export function constantControl(context: FormContext, place: Place, node: ConstantNode, frame: ControlFrame): Control {
  const value = el('code', { class: 'constant' }, node.label);
  if (place.field.isRequired || place.role === 'content' || place.state.kind === 'value')
    return { element: value, layout: 'line', isLabelled: false, focus: () => undefined, setInvalid: () => undefined };
  const input = el('input', {
    class: 'tick',
    attributes: { id: frame.ids.control, type: 'checkbox', 'aria-describedby': frame.ids.describedBy },
  });
  const show = ({ state }: Place) => (input.checked = state.kind === 'value');
  show(place);
  input.addEventListener('change', () => {
    frame.onTouched();
    context.set(place.address, input.checked ? { kind: 'value', value: node.value } : { kind: 'absent' });
  });
  return {
    element: el('div', { class: 'switch-row' }, input, value),
    layout: 'line',
    focus: () => input.focus(),
    setInvalid: () => undefined,
    refresh: show,
  };
}

/** Shows a value that is null. A button restores the field for another value. */
export function nullControl(context: FormContext, place: Place, frame: ControlFrame): Control {
  const back = wordButton(t('Edit'), () => {
    frame.onTouched();
    context.set(place.address, { kind: 'absent' });
    frame.redraw();
  });
  return {
    element: el('div', { class: 'input-row' }, el('code', { class: 'constant' }, 'null'), back),
    layout: 'line',
    focus: () => back.focus(),
    setInvalid: () => undefined,
  };
}
