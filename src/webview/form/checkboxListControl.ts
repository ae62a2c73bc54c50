import { t } from '@vscode/l10n';
import type { ListNode } from '../../shared/form/form.js';
import { setChecked } from '../../shared/form/edit.js';
import { isIdenticalJson } from '../../shared/form/formJson.js';
import { canShowCheckboxes, nodeOf } from '../../shared/form/places.js';
import type { Place } from '../../shared/form/place.js';
import { el } from '../page/dom.js';
import type { Control, ControlFrame } from './control.js';
import type { FormContext } from './formContext.js';

/** A list of choices as checkboxes. Returns undefined if checkboxes cannot show the list (`canShowCheckboxes`). */
export function checkboxListControl(
  context: FormContext,
  place: Place,
  node: ListNode,
  frame: ControlFrame,
): Control | undefined {
  if (!canShowCheckboxes(context.form, place) || !node.items) return undefined;
  const choice = nodeOf(context.form, node.items);
  if (choice.kind !== 'choice') return undefined;
  const boxes = choice.options.map(({ value, label, description }, index) => {
    const box = el('input', { class: 'tick', attributes: { type: 'checkbox' } });
    box.addEventListener('change', () => {
      frame.onTouched();
      context.change((form, state) => setChecked(form, state, place.address, index, box.checked));
    });
    return { value, box, line: el('label', { title: description ?? '' }, box, label) };
  });
  const show = ({ state }: Place) => {
    const items = state.kind === 'list' ? state.items : [];
    for (const { value, box } of boxes)
      box.checked = items.some((item) => item.state.kind === 'value' && isIdenticalJson(item.state.value, value));
  };
  show(place);
  return {
    element: el(
      'div',
      {
        class: 'ticks',
        id: frame.ids.control,
        attributes: {
          role: 'group',
          'aria-labelledby': frame.ids.label,
          'aria-describedby': frame.ids.describedBy,
          'aria-label': frame.spokenLabel,
        },
      },
      ...boxes.map(({ line }) => line),
    ),
    layout: 'line',
    focus: () => boxes[0]?.box.focus(),
    setInvalid: () => undefined,
    refresh: show,
    status: ({ state }) => (state.kind === 'absent' ? t('not set') : ''),
  };
}
