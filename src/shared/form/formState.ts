/**
 * What is filled into a form: plain data, changed by the functions of edit.ts, which return a new state. A state says by
 * itself which value it stands for; `formToValue` needs no schema, so nothing is lost when a value does not fit or when
 * the server changes the schema. Any node may have a state of kind `absent` or `json`, and `{ kind: 'value', value: null }`;
 * further kinds only where the node says so. A page that meets another kind draws `json` as a JSON field.
 */
import type { JsonValue } from '../json.js';

export type FormState =
  AbsentState | TextState | NumberState | ValueState | ObjectState | ListState | VariantState | JsonState;

/** Not set: the property is left out, which differs from null and from an empty text. */
interface AbsentState {
  kind: 'absent';
}

interface TextState {
  kind: 'text';
  text: string;
}

/** A number as it was typed. What is no number yet counts as this text, and `stateProblems` tells about it. */
interface NumberState {
  kind: 'number';
  text: string;
}

/** A settled value: of a switch, a choice, a constant, or null. */
interface ValueState {
  kind: 'value';
  value: JsonValue;
}

export interface ObjectState {
  kind: 'object';
  /** Those that are set, in the order of the value. Declared properties that are not set may be missing or `absent`. */
  members: Member[];
}

export interface Member {
  name: string;
  state: FormState;
  /** Of a free member: stays while its name is edited. Missing for declared properties, which their name identifies. */
  id?: number;
}

export interface ListState {
  kind: 'list';
  items: Item[];
}

export interface Item {
  /** Unique in its list; stays when the item is moved. */
  id: number;
  state: FormState;
}

interface VariantState {
  kind: 'variant';
  /** Into `VariantNode.variants`. */
  index: number;
  state: FormState;
  /** What was filled into the other variants, so that choosing one again brings it back. */
  others?: { index: number; state: FormState }[];
}

/**
 * A part that is written as JSON: it does not fit its node, or the user wants to. What is no JSON yet counts as this
 * text.
 */
export interface JsonState {
  kind: 'json';
  text: string;
  /** The part before it became JSON, and its text then: going back without a change restores it as it was. */
  before?: { text: string; state: FormState };
}
