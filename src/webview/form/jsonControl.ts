import { t } from '@vscode/l10n';
import { toForm } from '../../shared/form/edit.js';
import type { Place } from '../../shared/form/place.js';
import { el, iconButton, setAttributes } from '../page/dom.js';
import type { Control, ControlFrame } from './control.js';
import type { FormContext } from './formContext.js';

/** Edits a value as JSON, because the form does not support its schema or the user prefers JSON. */
export function jsonControl(context: FormContext, place: Place, frame: ControlFrame): Control {
  const text = el('textarea', {
    class: 'input json',
    id: frame.ids.control,
    attributes: {
      rows: 3,
      spellcheck: 'false',
      'aria-describedby': frame.ids.describedBy,
      'aria-label': frame.spokenLabel,
      placeholder: place.field.placeholder ?? 'JSON',
    },
  });
  text.value = textOf(place);
  text.addEventListener('input', () => {
    frame.onTouched();
    const before = place.state.kind === 'json' && place.state.before ? { before: place.state.before } : {};
    context.set(
      place.address,
      text.value === '' && place.node.kind === 'json'
        ? { kind: 'absent' }
        : { kind: 'json', text: text.value, ...before },
      { isTyped: true },
    );
  });
  const back =
    place.node.kind === 'json'
      ? undefined
      : iconButton('list-tree', t('Back to the form'), () => {
          frame.onTouched();
          context.change((form, state) => toForm(form, state, place.address));
          frame.redraw();
        });
  return {
    element: el('div', { class: 'input-row' }, text, back),
    layout: 'line',
    focus: () => text.focus(),
    setInvalid: (isInvalid) => setAttributes(text, { 'aria-invalid': isInvalid ? 'true' : undefined }),
    refresh: (now) => {
      place = now;
      if (document.activeElement !== text && textOf(now) !== text.value) text.value = textOf(now);
    },
    status: () => (place.node.kind === 'json' ? '' : t('as JSON')),
  };
}

function textOf({ state }: Place): string {
  return state.kind === 'json' ? state.text : '';
}
