/**
 * The state of a form: plain data, changed by the functions of edit.ts, which return a new state. A state determines
 * its value without the schema (`formToValue`), so nothing is lost if a value does not fit the schema or if the server
 * changes the schema. Any node can have a state of kind `absent` or `json`, or `{ kind: 'value', value: null }`. The
 * node determines which other kinds are possible. A page that gets an unknown kind draws it as a JSON field.
 */
import type { JsonValue } from '../json.js';

export type FormState =
  AbsentState | TextState | NumberState | ValueState | ObjectState | ListState | VariantState | JsonState;

/** Not set: the property is left out. This differs from null and from an empty string. */
interface AbsentState {
  kind: 'absent';
}

interface TextState {
  kind: 'text';
  text: string;
}

/** A number as typed. Text that is not a number has the text as its value, and `stateProblems` reports it. */
interface NumberState {
  kind: 'number';
  text: string;
}

/** The value of a switch, a choice, or a constant, or null. */
interface ValueState {
  kind: 'value';
  value: JsonValue;
}

export interface ObjectState {
  kind: 'object';
  /** The properties that are set, in the order of the value. Unset declared properties are missing or `absent`. */
  members: Member[];
}

export interface Member {
  name: string;
  state: FormState;
  /**
   * The ID of an additional property, which is kept when the property is renamed. Missing for declared properties,
   * which are identified by name.
   */
  id?: number;
}

export interface ListState {
  kind: 'list';
  items: Item[];
}

export interface Item {
  /** Unique in its list. Kept when the item is moved. */
  id: number;
  state: FormState;
}

interface VariantState {
  kind: 'variant';
  /** Index into `VariantNode.variants`. */
  index: number;
  state: FormState;
  /** The input of the other variants, which is restored when one of them is selected again. */
  others?: { index: number; state: FormState }[];
}

/**
 * A value that is edited as JSON, because it does not fit its node or the user prefers JSON. Text that is not valid
 * JSON has the text as its value.
 */
export interface JsonState {
  kind: 'json';
  text: string;
  /**
   * The state before the switch to JSON, and the JSON text at that time. If the text is unchanged, switching back
   * restores this state.
   */
  before?: { text: string; state: FormState };
}
