/**
 * One place of a form with what is filled in there: what a page draws as one field, row or group. Made by places.ts.
 */
import type { Field, FormNode } from './form.js';
import type { FormState } from './formState.js';

/**
 * The way from the outermost state to the state of a place: the name of a declared property, the id of an item or a free
 * member, or 0 for the content of a variant. Stays the same while other items are moved or members renamed.
 */
export type Address = readonly (string | number)[];

export interface Place {
  address: Address;
  /** The address as text: an id for the element that draws this place. */
  key: string;
  /** JSON Pointer of the value, as the problems of `validate` have it. */
  path: string;
  field: Field;
  /** `form.nodes[field.node]`. */
  node: FormNode;
  /** `absent` where nothing is set. */
  state: FormState;
  role: PlaceRole;
  /** Of a property or a member. */
  name?: string;
  /** Of an item of a list or tuple, from 0. */
  index?: number;
}

type PlaceRole =
  | 'root'
  /** A declared property of an object: drawn even where it is not set. */
  | 'property'
  /** A free member of an object: its name can be edited, it can be removed. */
  | 'member'
  /** A place of a tuple. */
  | 'prefix'
  /** An item that can be removed and moved. */
  | 'item'
  /** What the chosen variant holds: drawn below the choice, without a label of its own. */
  | 'content';
