import { t } from '@vscode/l10n';
import { toForm } from '../../shared/form/edit.js';
import type { Place } from '../../shared/form/place.js';
import { placeText } from '../../shared/form/place.js';
import { jsonErrorAt } from '../../shared/form/formJson.js';
import { el, iconButton, setAttributes } from '../page/dom.js';
import type { Control, ControlFrame } from './control.js';
import type { FormContext } from './formContext.js';
import { JsonEditor } from './jsonEditor/jsonEditor.js';

/** Edits a value as JSON, because the form does not support its schema or the user prefers JSON. */
export function jsonControl(context: FormContext, place: Place, frame: ControlFrame): Control {
  const editor = new JsonEditor({
    form: context.form,
    field: place.field,
    id: frame.ids.control,
    label: frame.spokenLabel,
    describedBy: frame.ids.describedBy,
    placeholder: place.field.placeholder ?? 'JSON',
    onInput: () => take(),
  });
  editor.value = placeText(place, 'json');
  const take = () => {
    const { value } = editor;
    frame.onTouched();
    const before = place.state.kind === 'json' && place.state.before ? { before: place.state.before } : {};
    context.set(
      place.address,
      value === '' && place.node.kind === 'json' ? { kind: 'absent' } : { kind: 'json', text: value, ...before },
      { isTyped: true },
    );
  };
  const back =
    place.node.kind === 'json'
      ? undefined
      : iconButton('list-tree', t('Back to the Form'), () => {
          frame.onTouched();
          context.change((form, state) => toForm(form, state, place.address));
          frame.redraw();
        });
  return {
    element: el('div', { class: 'input-row' }, editor.element, back),
    layout: 'line',
    focus: () => editor.focus(),
    setInvalid: (isInvalid) => {
      const at = isInvalid ? jsonErrorAt(editor.value) : undefined;
      editor.mark(at === undefined ? [] : [{ from: at, to: at + 1 }]);
      setAttributes(editor.text, { 'aria-invalid': isInvalid ? 'true' : undefined });
    },
    refresh: (now) => {
      place = now;
      if (document.activeElement !== editor.text) editor.value = placeText(now, 'json');
    },
    status: () => (place.node.kind === 'json' ? '' : t('as JSON')),
  };
}
