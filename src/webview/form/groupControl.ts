import { t } from '@vscode/l10n';
import type { ObjectNode } from '../../shared/form/form.js';
import { addAt, addMember, clearAt, renameMember } from '../../shared/form/edit.js';
import type { Place } from '../../shared/form/place.js';
import { summaryOf } from '../../shared/form/summary.js';
import { el, focusOn, icon, iconButton, setAttributes, wordButton } from '../page/dom.js';
import type { Control, ControlFrame, DrawnField } from './control.js';
import { labelOf } from './control.js';
import type { FormContext } from './formContext.js';

/** An object: its declared properties, followed by additional ones. The group can be collapsed. */
export function groupControl(context: FormContext, place: Place, node: ObjectNode, frame: ControlFrame): Control {
  const isRoot = place.role === 'root';
  const entry = node.more?.field.label ?? '';
  const addText = entry === '' ? t('Add Entry') : t('Add {0}', entry);
  const isBare = isRoot || place.role === 'content';
  const children: DrawnField[] = [];
  const body = el('div', { class: isBare ? 'group bare' : 'group' });

  const draw = () => {
    children.length = 0;
    const places = context.placesIn(place);
    const addButton = node.more?.isDeclared === true ? wordButton(addText, add, { iconName: 'add' }) : undefined;
    const last =
      addButton ?? (places.length === 0 ? el('p', { class: 'empty' }, t('There are no values to enter.')) : undefined);
    body.replaceChildren(...(last ? [last] : []));
    context.each(places, (inner) => {
      const view = context.drawField(
        inner,
        inner.role === 'member' ? { label: inner.name ?? '', redraw: draw } : undefined,
      );
      children.push(view);
      body.insertBefore(inner.role === 'member' ? memberRow(view, inner) : view.element, last ?? null);
    });
  };
  const add = () => {
    frame.onTouched();
    context.change((form, state) => addMember(form, state, place.address, ''));
    place = context.placeAt(place.address) ?? place;
    draw();
    body.querySelector<HTMLElement>('.member:last-of-type .member-name')?.focus();
  };
  const memberRow = (view: DrawnField, inner: Place): HTMLElement => {
    const name = el('input', {
      class: 'input member-name',
      attributes: {
        type: 'text',
        'aria-label': t('Name of the entry'),
        placeholder: t('name'),
        autocomplete: 'off',
        list: undefined,
      },
    });
    name.value = inner.name ?? '';
    name.addEventListener('input', () => {
      frame.onTouched();
      context.change((form, state) => renameMember(form, state, inner.address, name.value));
    });
    const remove = iconButton('trash', t('Remove the entry {0}', inner.name ?? ''), () => {
      frame.onTouched();
      context.change((form, state) => clearAt(form, state, inner.address));
      place = context.placeAt(place.address) ?? place;
      draw();
    });
    return el('div', { class: 'member' }, name, view.element, remove);
  };

  // The optional object is not set, so one button is shown instead of its fields.
  if (place.state.kind === 'absent') {
    const isList = node.properties.length === 0 && node.more?.isDeclared === true;
    const button = wordButton(
      isList ? addText : t('Add {0}', place.field.label),
      () => {
        frame.onTouched();
        context.change((form, state) =>
          isList ? addMember(form, state, place.address, '') : addAt(form, state, place.address),
        );
      },
      { iconName: 'add' },
    );
    return {
      element: button,
      layout: 'group',
      focus: () => focusOn(button),
      setInvalid: () => undefined,
      refresh: (now) => (place = now),
    };
  }

  if (isBare) {
    draw();
    return {
      element: body,
      layout: 'group',
      isLabelled: true,
      children,
      focus: () => children[0]?.focus(),
      setInvalid: () => undefined,
      refresh: (now) => (place = now),
    };
  }

  const chevron = icon('chevron-right', 'chevron');
  const head = el(
    'button',
    {
      class: 'fold',
      id: frame.ids.control,
      attributes: { type: 'button', 'aria-expanded': 'false', 'aria-describedby': frame.ids.describedBy },
    },
    chevron,
    labelOf(place),
  );
  const fold = (isOpen: boolean) => {
    body.hidden = !isOpen;
    setAttributes(head, { 'aria-expanded': String(isOpen) });
  };
  head.addEventListener('click', () => {
    fold(body.hidden !== false);
    frame.onFold();
  });
  draw();
  fold(true);
  return {
    element: body,
    layout: 'group',
    isLabelled: true,
    head,
    children,
    focus: () => (body.hidden || !children[0] ? head : children[0]).focus(),
    setInvalid: (isInvalid) => setAttributes(head, { 'aria-invalid': isInvalid ? 'true' : undefined }),
    refresh: (now) => (place = now),
    status: (now) => (body.hidden ? summaryOf(now) : ''),
    unfold: () => fold(true),
  };
}
