import type { Place } from '../../shared/form/place.js';
import type { FieldView } from './fieldView.js';

/** What edits the value of one field. */
export interface Control {
  readonly element: HTMLElement;
  /** `group`: holds other fields and stands below their common name. */
  readonly layout: 'line' | 'group';
  /** The control shows its own name. */
  readonly isLabelled?: boolean;
  /** Stands where the name does: a button that folds. */
  readonly head?: HTMLElement;
  readonly children?: readonly FieldView[];
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
