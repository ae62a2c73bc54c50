/**
 * The state of a form: plain data that only the functions of edit.ts change, by returning a new state. The value of a
 * state can be computed without the schema (`formToValue`), so nothing is lost if a value does not fit the schema or if
 * the server changes the schema.
 *
 * Any node can have a state of kind `absent` or `json`, or `{ kind: 'value', value: null }`. The node determines which
 * other kinds are possible. A page draws a state with any other kind as a JSON field.
 */
import type { JsonValue } from '../json.js';

export type FormState =
  AbsentState | TextState | NumberState | ValueState | ObjectState | ListState | VariantState | JsonState;

/** The place is not set, so the property is left out. This differs from null and from an empty string. */
interface AbsentState {
  kind: 'absent';
}

interface TextState {
  kind: 'text';
  text: string;
}

/** A number as typed. If the text is not a number, the text is the value, and `stateProblems` reports the problem. */
interface NumberState {
  kind: 'number';
  text: string;
}

/** The value of a switch, a choice, or a constant; null; or a value that is nested too deeply for JSON text. */
interface ValueState {
  kind: 'value';
  value: JsonValue;
}

export interface ObjectState {
  kind: 'object';
  /**
   * The properties that are set, in the order in which the value contains them. A declared property that is not set is
   * missing or `absent`.
   */
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
  /** An ID that is unique in the list. It is kept when the item is moved. */
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
 * A value that is edited as JSON text, because it does not fit its node or because the user prefers JSON. If the text
 * is not valid JSON, the value is the text itself.
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

/** The texts that a page shows as JSON fields in a form with this state. */
export function jsonTextsOf(state: FormState): string[] {
  switch (state.kind) {
    case 'json':
      return [state.text];
    case 'object':
      return state.members.flatMap((member) => jsonTextsOf(member.state));
    case 'list':
      return state.items.flatMap((item) => jsonTextsOf(item.state));
    case 'variant':
      return jsonTextsOf(state.state);
    default:
      return [];
  }
}
