import { t } from '@vscode/l10n';
import type { Place } from '../../shared/form/place.js';
import { el, icon, setAttributes } from '../page/dom.js';
import type { MenuItem } from '../page/menu.js';
import { menuButton } from '../page/menu.js';
import { chooseControl } from './chooseControl.js';
import type { Control, DrawnField, RowContext } from './control.js';
import { isMarked, labelOf } from './control.js';
import type { FormContext } from './formContext.js';
import { factsOf } from './fieldFacts.js';
import { fieldMenu } from './fieldMenu.js';
import { inlineMarkdown } from './inlineMarkdown.js';

/** One field of a form: its name, its control, its description, and its problems. */
export class FieldView implements DrawnField {
  readonly element = el('div', { class: 'field' });
  private control!: Control;
  private error!: HTMLElement;
  private status!: HTMLElement;
  private isTouched = false;
  private messages: readonly string[] = [];
  private drawnKind = '';

  constructor(
    private readonly context: FormContext,
    public place: Place,
    private readonly around?: RowContext,
  ) {
    this.draw();
  }

  get label(): string {
    return labelOf(this.place);
  }

  get children(): readonly DrawnField[] {
    return this.control.children ?? [];
  }

  get wasTouched(): boolean {
    return this.isTouched || (this.context.isContinued && this.place.state.kind !== 'absent');
  }

  focus(): void {
    this.control.focus();
  }

  showProblems(messages: readonly string[]): void {
    if (messages.join('\n') === this.messages.join('\n')) return;
    this.messages = messages;
    this.element.classList.toggle('has-problem', messages.length > 0);
    this.error.replaceChildren(...messages.map((message) => el('p', {}, icon('error'), message)));
    this.control.setInvalid(messages.length > 0);
  }

  unfold(): void {
    this.control.unfold?.();
  }

  settle(): void {
    this.control.settle?.();
  }

  refresh(now: Place): void {
    const isOtherControl = controlKind(now) !== this.drawnKind;
    this.place = now;
    if (isOtherControl) {
      this.draw();
      return;
    }
    this.control.refresh?.(now);
    this.showStatus();
    if (this.children.length === 0) return;
    const places = new Map(this.context.placesIn(now).map((inner) => [inner.key, inner]));
    for (const child of this.children) {
      const inner = places.get(child.place.key);
      if (inner) child.refresh(inner);
    }
  }

  /** Redraws the field from the state, even if the user is typing in it. */
  redraw(): void {
    this.place = this.context.placeAt(this.place.address) ?? this.place;
    this.draw();
  }

  private draw(): void {
    const { place, context } = this;
    const { field, key } = place;
    this.drawnKind = controlKind(place);
    const id = context.idOf(key);
    const ids = { control: id, label: `${id}-label`, description: `${id}-about`, error: `${id}-error` };
    const describedBy = [field.description === undefined ? undefined : ids.description, ids.error]
      .filter((id) => id !== undefined)
      .join(' ');
    const isRow = place.role === 'item' || place.role === 'member';
    // The content of a variant or map entry has no visible label, because the choice or name above it serves as one.
    const isContent = place.role === 'content';
    this.control = chooseControl(context, place, {
      ids: { ...ids, describedBy },
      spokenLabel: isRow
        ? `${this.around?.label ?? ''} ${labelOf(place)}`.trim()
        : isContent
          ? labelOf(place)
          : undefined,
      onTouched: () => {
        this.isTouched = true;
      },
      onFold: () => this.showStatus(),
      redraw: () => this.redraw(),
    });
    const { control } = this;
    this.error = el('div', { class: 'field-error', id: ids.error });
    this.status = el('span', { class: 'field-status' });
    const menu = menuButton(t('More actions for {0}', labelOf(place)), () => this.menu());
    setAttributes(this.element, { 'data-path': place.path });
    const about =
      field.description === undefined
        ? undefined
        : el('p', { class: 'field-about', id: ids.description }, ...inlineMarkdown(field.description));
    const condition =
      field.condition === undefined ? undefined : el('p', { class: 'field-condition' }, field.condition);
    if ((isRow || isContent) && control.layout === 'line') {
      this.element.className = 'field field-row';
      const below = [isContent ? about : undefined, this.error].filter((part) => part !== undefined);
      this.element.replaceChildren(el('div', { class: 'field-head' }, control.element, this.status, menu), ...below);
    } else {
      this.element.className = `field field-${control.layout}`;
      const mark =
        isMarked(place) &&
        el('span', { class: 'field-required', title: t('Required'), attributes: { 'aria-hidden': 'true' } }, '*');
      const facts = factsOf(place);
      const label = control.isLabelled === true ? undefined : labelElement(place, ids);
      // The root and the content of a variant or map entry have no name, unless their control is a single line.
      const isNameless = control.layout === 'group' && (place.role === 'root' || place.role === 'content');
      const head = isNameless
        ? undefined
        : el(
            'div',
            { class: 'field-head' },
            label,
            control.head,
            mark,
            facts !== '' && el('span', { class: 'field-facts' }, facts),
            this.status,
            menu,
          );
      const parts =
        control.layout === 'group'
          ? [head, about, condition, this.error, control.element]
          : [head, control.element, about, condition, this.error];
      this.element.replaceChildren(...parts.filter((part) => part !== undefined));
    }
    const messages = this.messages;
    this.messages = [];
    this.showProblems(messages);
    this.showStatus();
  }

  private showStatus(): void {
    this.status.textContent = this.control.status?.(this.place) ?? '';
  }

  private menu(): MenuItem[] {
    return fieldMenu(this.context, this.place, {
      redraw: () => {
        this.isTouched = true;
        this.redraw();
        this.focus();
      },
      redrawAround: this.around?.redraw ?? (() => undefined),
      insert: this.control.insert,
    });
  }
}

function labelElement(place: Place, ids: { control: string; label: string }): HTMLElement {
  const { field, node } = place;
  const props = { class: field.isDeprecated === true ? 'field-label deprecated' : 'field-label', id: ids.label };
  // A label element cannot refer to a list, so the list refers to the element with its name by `aria-labelledby`.
  return node.kind === 'list'
    ? el('span', props, labelOf(place))
    : el('label', { ...props, attributes: { for: ids.control } }, labelOf(place));
}

/** The kind of control. It changes when a place switches to or from JSON or null, or when a group is set or unset. */
function controlKind({ node, state }: Place): string {
  if (state.kind === 'json') return 'json';
  if (state.kind === 'value' && state.value === null) return 'null';
  return node.kind === 'object' && state.kind === 'absent' ? 'nothing' : node.kind;
}
