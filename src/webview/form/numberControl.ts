import type { NumberNode } from '../../shared/form/form.js';
import type { Place } from '../../shared/form/place.js';
import { placeText } from '../../shared/form/place.js';
import { typedText } from '../../shared/form/edit.js';
import { el, setAttributes } from '../page/dom.js';
import type { Control, ControlFrame } from './control.js';
import type { FormContext } from './formContext.js';
import { isKept } from './textControl.js';
import { defaultText, ghostOf } from './fieldFacts.js';

/** A number in a text field, which keeps incomplete input. The up and down arrow keys change the number. */
export function numberControl(context: FormContext, place: Place, node: NumberNode, frame: ControlFrame): Control {
  const input = el('input', {
    class: 'input number',
    attributes: {
      id: frame.ids.control,
      type: 'text',
      inputmode: node.isInteger ? 'numeric' : 'decimal',
      'aria-describedby': frame.ids.describedBy,
      'aria-label': frame.spokenLabel,
      'aria-required': place.field.isRequired ? 'true' : undefined,
      placeholder: ghostOf(place.field),
      autocomplete: 'off',
    },
  });
  input.value = placeText(place, 'number');
  const take = () => {
    frame.onTouched();
    context.set(place.address, typedText(node, input.value.trim(), isKept(place)), { isTyped: true });
  };
  input.addEventListener('input', take);
  input.addEventListener('keydown', (event) => {
    if ((event.key !== 'ArrowUp' && event.key !== 'ArrowDown') || event.altKey || event.ctrlKey || event.metaKey)
      return;
    event.preventDefault();
    input.value = counted(
      input.value === '' ? defaultText(place.field) : input.value,
      event.key === 'ArrowUp' ? 1 : -1,
      node,
    );
    take();
  });
  return {
    element: el('div', { class: 'input-row plain' }, input),
    layout: 'line',
    focus: () => input.focus(),
    setInvalid: (isInvalid) => setAttributes(input, { 'aria-invalid': isInvalid ? 'true' : undefined }),
    refresh: (now) => {
      const typed = placeText(now, 'number');
      if (typed !== input.value && document.activeElement !== input) input.value = typed;
    },
  };
}

/** The number after one step up or down, within the bounds. */
function counted(text: string, direction: number, { step = 1, minimum, maximum }: NumberNode): string {
  const value = Number(text === '' ? (minimum ?? 0) : text);
  if (!Number.isFinite(value)) return text;
  const digits = Math.max(digitsOf(value), digitsOf(step));
  const next = Number((value + direction * step).toFixed(digits));
  return String(Math.min(maximum ?? Infinity, Math.max(minimum ?? -Infinity, next)));
}

function digitsOf(value: number): number {
  return Math.min(12, String(value).split('.')[1]?.length ?? 0);
}
