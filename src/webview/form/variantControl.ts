import '@vscode-elements/elements/dist/vscode-single-select/index.js';
import { t } from '@vscode/l10n';
import type { VariantNode } from '../../shared/form/form.js';
import { chooseVariant, clearAt } from '../../shared/form/edit.js';
import type { Place } from '../../shared/form/place.js';
import { el, focusOn } from '../page/dom.js';
import type { Control, ControlFrame, DrawnField } from './control.js';
import type { FormContext } from './formContext.js';

/** Selects one of several variants and shows its fields below. The values of the other variants are kept. */
export function variantControl(context: FormContext, place: Place, node: VariantNode, frame: ControlFrame): Control {
  const children: DrawnField[] = [];
  const content = el('div', { class: 'group variant' });
  const select = el('vscode-single-select', {
    class: 'select',
    id: frame.ids.control,
    attributes: { label: frame.spokenLabel ?? place.field.label },
  });
  const chosen = ({ state }: Place) => (state.kind === 'variant' ? state.index : -1);
  select.options = [
    { label: t('Not set'), value: '', description: '', selected: false, disabled: false },
    ...node.variants.map(({ label, description = '' }, index) => ({
      label,
      value: String(index),
      description,
      selected: false,
      disabled: false,
    })),
  ];
  const draw = () => {
    place = context.placeAt(place.address) ?? place;
    select.selectedIndex = chosen(place) + 1;
    children.length = 0;
    for (const inner of context.placesIn(place)) children.push(context.drawField(inner));
    content.replaceChildren(...children.map(({ element }) => element));
    content.hidden = children.length === 0;
  };
  select.addEventListener('change', () => {
    frame.onTouched();
    const index = select.value === '' ? -1 : Number(select.value);
    context.change((form, state) =>
      index < 0 ? clearAt(form, state, place.address) : chooseVariant(form, state, place.address, index),
    );
    draw();
  });
  draw();
  let shown = chosen(place);
  return {
    element: el('div', { class: 'variants' }, select, content),
    layout: 'group',
    children,
    focus: () => focusOn(select),
    setInvalid: (isInvalid) => (select.invalid = isInvalid),
    refresh: (now) => {
      place = now;
      if (chosen(now) === shown) return;
      shown = chosen(now);
      draw();
    },
  };
}
