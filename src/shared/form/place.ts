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
  /** JSON Pointer of the value, as in the problems that `validate` returns. */
  path: string;
  field: Field;
  /** `form.nodes[field.node]`. */
  node: FormNode;
  /** `absent` if nothing is set. */
  state: FormState;
  role: PlaceRole;
  /** The name of a property. */
  name?: string;
  /** The index of an item in a list or tuple, from 0. */
  index?: number;
}

type PlaceRole =
  | 'root'
  /** A declared property of an object. Drawn even if it is not set. */
  | 'property'
  /** An additional property of an object. It can be renamed and removed. */
  | 'member'
  /** A fixed item of a tuple. */
  | 'prefix'
  /** An item that can be removed and moved. */
  | 'item'
  /** The content of the selected variant. Drawn below the selection, without its own label. */
  | 'content';
