/** One place of a form with its state, which a page draws as a field, a row, or a group. Created by places.ts. */
import type { Field, FormNode } from './form.js';
import type { FormState } from './formState.js';

/**
 * The path from the root state to the state of a place. Each step is the name of a declared property, the ID of an item
 * or of an additional property, or 0 for the content of a variant. The address does not change when other items are
 * moved or properties are renamed.
 */
export type Address = readonly (string | number)[];

export interface Place {
  address: Address;
  /** The address as text, used as the ID of the element that draws this place. */
  key: string;
  /** JSON Pointer of the value. The problems that `validate` returns use the same pointers. */
  path: string;
  field: Field;
  /** The node of the field: `form.nodes[field.node]`. */
  node: FormNode;
  /** The state of the place; of kind `absent` if nothing is set. */
  state: FormState;
  role: PlaceRole;
  /** The name of a property, if the place is one. */
  name?: string;
  /** If the place is an item of a list or tuple, its position, counted from 0. */
  index?: number;
}

type PlaceRole =
  | 'root'
  /** A declared property of an object. It is drawn even if it is not set. */
  | 'property'
  /** An additional property of an object. It can be renamed and removed. */
  | 'member'
  /** A fixed item of a tuple. */
  | 'prefix'
  /** An item that can be removed and moved. */
  | 'item'
  /**
   * The content of the selected variant. It is drawn below the control that selects the variant, without its own label.
   */
  | 'content';

/** The text that the user typed at a place; empty if the place has another kind of state. */
export function placeText({ state }: Place, kind: 'text' | 'number' | 'json'): string {
  return state.kind === kind && 'text' in state ? state.text : '';
}
