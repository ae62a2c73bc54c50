import type { Place } from '../../shared/form/place.js';

/** One place of the form as it is drawn; `FieldView` is what draws it. */
export interface DrawnField {
  readonly element: HTMLElement;
  /** As it was drawn last. */
  readonly place: Place;
  /** Its name as it is shown. */
  readonly label: string;
  /** The fields inside of this one, drawn so far. */
  readonly children: readonly DrawnField[];
  /** True once the user has changed it: from then on its mistakes are shown. */
  readonly wasTouched: boolean;
  focus(): void;
  /** Shows what is wrong here, or with `[]` that nothing is. */
  showProblems(messages: readonly string[]): void;
  /** Opens the groups around a field, so that it can be seen. */
  unfold(): void;
  /** The state changed somewhere: what depends on it is drawn again, what is being typed into stays. */
  refresh(now: Place): void;
}

/** What a row of a list or a map stands in: its name, and how it is drawn anew. */
export interface RowContext {
  label: string;
  redraw: () => void;
}

/** What edits the value of one field. */
export interface Control {
  readonly element: HTMLElement;
  /** `group`: holds other fields and stands below their common name. */
  readonly layout: 'line' | 'group';
  /** The control shows its own name. */
  readonly isLabelled?: boolean;
  /** Stands where the name does: a button that folds. */
  readonly head?: HTMLElement;
  readonly children?: readonly DrawnField[];
  focus(): void;
  setInvalid(isInvalid: boolean): void;
  /** The state was changed by somebody else, or around it. */
  refresh?(place: Place): void;
  /** A word about what is set: `not set`, `default`. */
  status?(place: Place): string;
  unfold?(): void;
  /** Puts a text where the cursor is. */
  readonly insert?: (text: string) => void;
}

/** What a control is told by its field. */
export interface ControlFrame {
  ids: { control: string; label: string; describedBy: string };
  /** The name for screen readers, where none is shown. */
  spokenLabel: string | undefined;
  /** Call with each change. */
  onTouched: () => void;
  /** Call when it was folded or unfolded. */
  onFold: () => void;
  redraw: () => void;
}

/** The name of a place as it is shown: items of a list are counted. */
export function labelOf({ field, role, index }: Place): string {
  return role === 'item' && index !== undefined ? `${field.label} ${index + 1}`.trim() : field.label;
}

/** Whether a place carries the mark of what has to be filled in; a row of a list is there because the user wants it. */
export function isMarked({ field, node, role }: Place): boolean {
  return field.isRequired && role !== 'item' && role !== 'member' && node.kind !== 'constant';
}
