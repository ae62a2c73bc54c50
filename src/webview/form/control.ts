import type { Place } from '../../shared/form/place.js';

/** A field of the form. Implemented by `FieldView`. */
export interface DrawnField {
  readonly element: HTMLElement;
  /** The place as last drawn. */
  readonly place: Place;
  /** The visible name. */
  readonly label: string;
  /** The nested fields that were drawn so far. */
  readonly children: readonly DrawnField[];
  /** Whether the user has changed the field, now or in an earlier session. Its problems are shown from then on. */
  readonly wasTouched: boolean;
  focus(): void;
  /** Shows the problems of this field. An empty list removes them. */
  showProblems(messages: readonly string[]): void;
  /** Expands the field if it is a collapsed group. */
  unfold(): void;
  /** Writes pending input to the state, such as the text of a cell that is being edited. */
  settle?(): void;
  /** Updates the parts that depend on the changed state. Does not replace an input in which the user is typing. */
  refresh(now: Place): void;
}

/** The context of a row: the name of its list or map entry, and a function that redraws all rows. */
export interface RowContext {
  label: string;
  redraw: () => void;
}

/** The control that edits the value of one field. */
export interface Control {
  readonly element: HTMLElement;
  /** How the control is placed. A `group` contains other fields and is placed below their common name. */
  readonly layout: 'line' | 'group';
  /** Whether the control shows its own name. */
  readonly isLabelled?: boolean;
  /** An element that replaces the name, for example a button that collapses the group. */
  readonly head?: HTMLElement;
  readonly children?: readonly DrawnField[];
  focus(): void;
  setInvalid(isInvalid: boolean): void;
  /** Called after each change of the state, including the changes that the control makes itself. */
  refresh?(place: Place): void;
  /** A short status, such as `not set` or `3 rows`. */
  status?(place: Place): string;
  unfold?(): void;
  /** Writes pending input to the state. Called before the value is used. */
  settle?(): void;
  /** Inserts text at the cursor. */
  readonly insert?: (text: string) => void;
}

/** The data and functions that a control receives from its field. */
export interface ControlFrame {
  ids: { control: string; label: string; describedBy: string };
  /** The accessible name, if no name is visible. */
  spokenLabel: string | undefined;
  /** Must be called by the control on each change. */
  onTouched: () => void;
  /** Must be called by the control when it was expanded or collapsed. */
  onFold: () => void;
  redraw: () => void;
}

/** The visible name of a place. Items of a list are numbered. */
export function labelOf({ field, role, index }: Place): string {
  return role === 'item' && index !== undefined ? `${field.label} ${index + 1}`.trim() : field.label;
}

/** Whether a place is marked as required. Rows of a list are not marked, because the user added them. */
export function isMarked({ field, node, role }: Place): boolean {
  return field.isRequired && role !== 'item' && role !== 'member' && node.kind !== 'constant';
}
