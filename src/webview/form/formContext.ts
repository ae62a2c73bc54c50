import type { Form } from '../../shared/form/form.js';
import type { FormState } from '../../shared/form/formState.js';
import type { Address, Place } from '../../shared/form/place.js';
import type { EditorSource, PickKind, Suggestion } from '../../shared/toolPanel.js';
import type { DrawnField, RowContext } from './control.js';

/** What the page around a form gives to it. */
export interface FormHost {
  /** What is filled in was typed before the form was drawn: its mistakes show like those of now. */
  isContinued: boolean;
  /**
   * Values for a text field beside those of the schema: what is selected or open in the editor, or what the server
   * completes.
   */
  suggest: (place: Place, text: string, control: { isMultiline: boolean }) => Promise<readonly Suggestion[]>;
  /** What is selected in the editor, or the path of its file; undefined when there is none. */
  editorText: (source: EditorSource) => Promise<string | undefined>;
  /** A path of the workspace that the user picks; undefined when they do not. */
  pick: (kind: PickKind) => Promise<string | undefined>;
  /** After each change. `isTyped`: more is likely to come. */
  onChange: (change: { isTyped: boolean }) => void;
}

/** What the fields of one form share. */
export interface FormContext extends FormHost {
  readonly form: Form;
  /** An id for the elements of a place; keys may hold anything, ids may not. */
  idOf: (key: string) => string;
  /** A place as it stands now. */
  placeAt: (address: Address) => Place | undefined;
  /** Draws a place with its name and its control: controls that hold others do not know how. */
  drawField: (place: Place, around?: RowContext) => DrawnField;
  /** The places inside of one. */
  placesIn: (place: Place) => readonly Place[];
  /** Draws a field for each of them, in turn, some of them later. */
  each: (places: readonly Place[], draw: (place: Place) => void) => void;
  /** Replaces what is filled in at a place. */
  set: (address: Address, state: FormState, change?: { isTyped: boolean }) => void;
  /** Changes what a place holds by one of the functions of `edit.ts`. */
  change: (edit: (form: Form, state: FormState) => FormState) => void;
}
