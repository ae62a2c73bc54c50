import { t } from '@vscode/l10n';
import type { Form } from '../../shared/form/form.js';
import type { FormState } from '../../shared/form/formState.js';
import { setAt } from '../../shared/form/edit.js';
import { placesIn, placesOnPath, rootPlace } from '../../shared/form/places.js';
import type { Problem } from '../../shared/panel/formMessages.js';
import { el } from '../page/dom.js';
import type { DrawnField } from './control.js';
import { DrawQueue } from './drawQueue.js';
import { FieldView } from './fieldView.js';
import type { FormContext, FormHost } from './formContext.js';

/** Selects the controls of fields. The menu button of a field is not a control. */
const focusable = '.field :is(input, textarea, vscode-single-select, vscode-button)';

/** Draws a form and its values, reports changes, and shows problems at their fields. */
export class FormView {
  readonly element: HTMLElement;
  private readonly root: DrawnField;
  private readonly queue = new DrawQueue();

  constructor(
    form: Form,
    private current: FormState,
    host: FormHost,
  ) {
    const apply = (next: FormState, isTyped: boolean) => {
      const { whole } = this;
      this.current = next;
      whole.refresh(rootPlace(form, next));
      host.onChange({ isTyped });
    };
    const ids = new Map<string, string>();
    const context: FormContext = {
      ...host,
      form,
      idOf: (key) => {
        const id = ids.get(key) ?? `field-${ids.size}`;
        ids.set(key, id);
        return id;
      },
      placeAt: (address) => {
        const place = placesOnPath(form, this.current, address).at(-1);
        return place?.address.length === address.length ? place : undefined;
      },
      drawField: (place, around) => new FieldView(context, place, around),
      placesIn: (place) => placesIn(form, place),
      each: (places, draw) => this.queue.each(places, draw),
      set: (address, state, change = { isTyped: false }) =>
        apply(setAt(form, this.current, address, state), change.isTyped),
      change: (edit) => apply(edit(form, this.current), false),
    };
    this.root = context.drawField(rootPlace(form, current));
    this.element = el(
      'div',
      { class: 'form' },
      ...form.notices.map((notice) => el('p', { class: 'form-notice' }, notice)),
      this.root.element,
    );
    this.queue.open(this.element);
  }

  get state(): FormState {
    return this.current;
  }

  /** Whether there is no field to fill in. */
  get isEmpty(): boolean {
    return this.element.querySelector(focusable) === null;
  }

  focus(): void {
    this.root.focus();
  }

  /** Writes pending input to the state, such as the text of a cell that is being edited. */
  settle(): void {
    walk(this.whole, (field) => field.settle?.());
  }

  /** Draws all pending fields now. */
  finish(): void {
    this.queue.finish();
  }

  /**
   * Shows each problem at the innermost field that contains the value. If `isAll` is false, shows only problems of
   * fields that the user changed, so that untouched fields have no errors.
   */
  showProblems(problems: readonly Problem[], { isAll }: { isAll: boolean }): void {
    const byField = new Map<DrawnField, string[]>();
    for (const problem of problems) {
      const field = this.fieldOf(problem.path);
      if (!isAll && !field.wasTouched) continue;
      byField.set(field, [...(byField.get(field) ?? []), messageAtField(problem.message)]);
    }
    walk(this.whole, (field) => field.showProblems(byField.get(field) ?? []));
  }

  /** Expands the groups around a place and moves the focus to it. */
  reveal(path: string): void {
    let field = this.whole;
    for (;;) {
      field.unfold();
      const inner = field.children.find((child) => holds(child.place.path, path));
      if (!inner) break;
      field = inner;
    }
    field.element.scrollIntoView({ block: 'center' });
    field.focus();
  }

  /** The problems in the order of their fields. */
  inOrder(problems: readonly Problem[]): readonly Problem[] {
    const order = new Map<DrawnField, number>();
    walk(this.whole, (field) => order.set(field, order.size));
    const placeOf = ({ path }: Problem) => order.get(this.fieldOf(path)) ?? 0;
    return [...problems].sort((a, b) => placeOf(a) - placeOf(b));
  }

  /** Whether the user changed the value of this place. */
  isTouched(path: string): boolean {
    return this.fieldOf(path).wasTouched;
  }

  /** The name of a field preceded by those of its parents, such as `Stops › Stop 2 › City`. */
  nameOf(path: string): string {
    const names: string[] = [];
    let field: DrawnField | undefined = this.whole;
    while (field) {
      field = field.children.find((child) => holds(child.place.path, path));
      if (field && field.label !== names.at(-1)) names.push(field.label);
    }
    return names.join(' › ');
  }

  /** The root field, which contains all others. */
  private get whole(): DrawnField {
    this.queue.finish();
    return this.root;
  }

  private fieldOf(path: string): DrawnField {
    let field = this.whole;
    for (;;) {
      const inner = field.children.find((child) => holds(child.place.path, path));
      if (!inner) return field;
      field = inner;
    }
  }
}

function holds(outer: string, path: string): boolean {
  return path === outer || path.startsWith(`${outer}/`);
}

function walk(field: DrawnField, visit: (field: DrawnField) => void): void {
  visit(field);
  for (const child of field.children) walk(child, visit);
}

/** A problem as a text below its field, where it does not follow the name of the field: `Required`, `Must be text`. */
function messageAtField(message: string): string {
  return message === t('is required') ? t('Required') : message.charAt(0).toUpperCase() + message.slice(1);
}
