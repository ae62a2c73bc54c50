import type { Form } from '../../shared/form/form.js';
import type { FormState } from '../../shared/form/formState.js';
import type { Address, Place } from '../../shared/form/place.js';
import type { EditorSource, PickKind, Suggestion } from '../../shared/panel/formMessages.js';
import type { DrawnField, RowContext } from './control.js';

/** The functions that the surrounding page provides to a form. */
export interface FormHost {
  /** Whether the values come from an earlier session of the form. If so, their problems are shown immediately. */
  isContinued: boolean;
  /**
   * Suggests values for a text field, in addition to those in the schema: the selected text or open files of the
   * editor, or completions of the server.
   */
  suggest: (place: Place, text: string, control: { isMultiline: boolean }) => Promise<readonly Suggestion[]>;
  /** The selected text of the editor or the path of its file. Undefined if there is none. */
  editorText: (source: EditorSource) => Promise<string | undefined>;
  /** Lets the user select a path in the workspace. Undefined if the user cancels. */
  pick: (kind: PickKind) => Promise<string | undefined>;
  /** Called after each change. `isTyped` means that more changes are likely to follow. */
  onChange: (change: { isTyped: boolean }) => void;
}

/** The data and functions that all fields of a form share. */
export interface FormContext extends FormHost {
  readonly form: Form;
  /** Returns an element ID for a place. Keys can contain any character, but IDs cannot. */
  idOf: (key: string) => string;
  /** The current place at an address. */
  placeAt: (address: Address) => Place | undefined;
  /** Draws a place with its name and control. Controls use it for nested places. */
  drawField: (place: Place, around?: RowContext) => DrawnField;
  /** The nested places of a place. */
  placesIn: (place: Place) => readonly Place[];
  /** Draws a field for each place in order. Some of the fields are drawn later. */
  each: (places: readonly Place[], draw: (place: Place) => void) => void;
  /** Replaces the state of a place. */
  set: (address: Address, state: FormState, change?: { isTyped: boolean }) => void;
  /** Changes the state with a function of `edit.ts`. */
  change: (edit: (form: Form, state: FormState) => FormState) => void;
}
