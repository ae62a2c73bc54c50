import { t } from '@vscode/l10n';
import type { ListNode } from '../../shared/form/form.js';
import { addItem, clearAt, moveItem } from '../../shared/form/edit.js';
import { canGrid } from '../../shared/form/grid/gridCells.js';
import { canAddItem } from '../../shared/form/places.js';
import type { Place } from '../../shared/form/place.js';
import { el, focusOn, icon, iconButton, wordButton } from '../page/dom.js';
import type { Control, ControlFrame, DrawnField } from './control.js';
import type { FormContext } from './formContext.js';
import { isShownAsList, viewButton } from './grid/listView.js';
import { Reorder } from './reorder.js';

/**
 * An ordered list. Items are added at the end, removed, and moved by their handle, with the pointer or the arrow keys.
 */
export function listControl(context: FormContext, place: Place, node: ListNode, frame: ControlFrame): Control {
  const children: DrawnField[] = [];
  const rows = el('div', { class: 'items', attributes: { role: 'list', 'aria-label': place.field.label } });
  const addButton = wordButton(t('Add'), () => add(), { iconName: 'add' });
  const asTable =
    isShownAsList(node) && canGrid(context.form, place) ? viewButton(node, () => frame.redraw()) : undefined;
  const buttons = el('div', { class: 'list-tools' }, node.items && addButton, asTable);
  const element = el('div', { class: 'list' }, rows, buttons);
  const reorder = new Reorder(rows, (from, to) => move(from, to));

  const draw = () => {
    place = context.placeAt(place.address) ?? place;
    children.length = 0;
    const places = context.placesIn(place);
    rows.replaceChildren();
    rows.hidden = places.length === 0;
    context.each(places, (inner) => {
      const view = context.drawField(inner, { label: place.field.label, redraw: draw });
      children.push(view);
      rows.append(row(view, inner));
    });
    addButton.toggleAttribute('disabled', !canAddItem(place));
  };
  const row = (view: DrawnField, inner: Place): HTMLElement => {
    if (inner.role !== 'item')
      return el('div', { class: 'item fixed', attributes: { role: 'listitem' } }, view.element);
    const number = (inner.index ?? 0) + 1;
    const handle = el(
      'button',
      {
        class: 'icon-button handle',
        title: t('To move, drag or press the arrow keys'),
        attributes: { type: 'button', 'aria-label': t('Move item {0} with the arrow keys', number) },
      },
      icon('gripper'),
    );
    const remove = iconButton('trash', t('Remove item {0}', number), () => {
      frame.onTouched();
      context.change((form, state) => clearAt(form, state, inner.address));
      draw();
      (children[Math.min(inner.index ?? 0, children.length - 1)] ?? { focus: () => addButton.focus() }).focus();
    });
    const element = el(
      'div',
      { class: 'item', attributes: { role: 'listitem' } },
      handle,
      el('div', { class: 'item-body' }, view.element),
      remove,
    );
    reorder.add(element, handle);
    return element;
  };
  const add = () => {
    frame.onTouched();
    context.change((form, state) => addItem(form, state, place.address));
    draw();
    children.at(-1)?.unfold();
    children.at(-1)?.focus();
  };
  /** `from` and `to` are indexes of movable rows. The fixed rows of a tuple come before them. */
  const move = (from: number, to: number) => {
    frame.onTouched();
    const fixed = node.prefix.length;
    const moved = children[from + fixed];
    if (!moved) return;
    context.change((form, state) => moveItem(form, state, moved.place.address, to + fixed));
    draw();
    rows.children[to + fixed]?.querySelector<HTMLElement>('.handle')?.focus();
  };
  draw();
  return {
    element,
    layout: 'group',
    children,
    focus: () => (children[0] ? children[0].focus() : focusOn(addButton)),
    setInvalid: () => undefined,
    refresh: (now) => (place = now),
    status: ({ state }) => (state.kind === 'absent' ? t('not set') : ''),
  };
}
