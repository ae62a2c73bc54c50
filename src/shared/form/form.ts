/**
 * A JSON Schema as a form. The fields are plain data that can be sent to a page; the values are separate, in a
 * `FormState` (formState.ts). `placesIn` (places.ts) combines both for drawing.
 *
 * The nodes are a flat table and refer to each other by index, so the form of a recursive schema is finite. A child is
 * drawn only if the state contains its parent. All texts are limited in length and safe to show as text (not as HTML).
 * A part that a form cannot represent is a node of kind `json`; its `reason` states why.
 */
import type { JsonValue } from '../json.js';

/** An index into `Form.nodes`. */
export type NodeId = number;

export interface Form {
  /** The field of the whole value. Its label is empty unless the schema has a title. */
  root: Field;
  /** The field for values that the schema does not describe. */
  other: Field;
  nodes: FormNode[];
  /** Problems of the schema, such as an unresolved reference or too many parts. They are complete sentences. */
  notices: string[];
}

/** One field of the form and its presentation. Several fields can use the same node with different names. */
export interface Field {
  node: NodeId;
  /**
   * The title in the schema, or a label made from the property name: `maxResults` becomes "Max results" (labels.ts).
   */
  label: string;
  /** The description. It may contain several lines and Markdown, of which only the inline marks are formatted. */
  description?: string;
  /**
   * Whether the schema lists the property in `required`. A required property with a default is set in a new form and
   * may be cleared.
   */
  isRequired: boolean;
  /**
   * The value that the server uses if nothing is set. Shown as the placeholder of the empty control, and set by "Reset
   * to Default".
   */
  default?: JsonValue;
  /** Examples of values; at most five. */
  examples?: JsonValue[];
  /** The placeholder: an example, the format, or the range of the value. Never the default. */
  placeholder?: string;
  /** Whether the input is masked and not stored. */
  isSecret?: boolean;
  /** Whether the schema marks the value as read-only. The server then ignores or rejects the value. */
  isReadOnly?: boolean;
  isDeprecated?: boolean;
  /** The kind of path that the user can select from the workspace, if the value is a path. */
  picker?: 'file' | 'folder' | 'any';
  /**
   * Whether a text with several lines is likely, so that a tall field is drawn. `needsLines` in places.ts also checks
   * the current text.
   */
  isMultiline?: boolean;
  /** When this field is used, as a sentence without its period: `Used when "type" is "apiUrl"`. */
  condition?: string;
}

export type FormNode =
  ObjectNode | ListNode | TextNode | NumberNode | SwitchNode | ChoiceNode | ConstantNode | VariantNode | JsonNode;

interface AnyNode {
  /**
   * Whether the value can also be null. If so, the menu of the field has "Set to Null". The state for null is
   * `{ kind: 'value', value: null }`.
   */
  isNullable?: boolean;
}

/** An object with declared properties, additional properties, or both. Its state is of kind `object`. */
export interface ObjectNode extends AnyNode {
  kind: 'object';
  /** The declared properties, in schema order. */
  properties: Property[];
  /** Additional properties. Undefined if the schema forbids them; existing ones are kept and drawn anyway. */
  more?: MoreMembers;
  minMembers?: number;
  maxMembers?: number;
}

export interface Property extends Field {
  name: string;
  /** Names of other properties. If one of them is set, this property is required. */
  requiredWith?: string[];
}

/** The additional properties of an object. */
export interface MoreMembers {
  /** The field of a new additional property. */
  field: Field;
  /** A property whose name matches `pattern` uses this field instead. The first matching pattern is used. */
  patterns: { pattern: string; field: Field }[];
  /**
   * Whether the schema explicitly allows additional properties, so that an Add button is drawn. Otherwise, they are
   * merely not forbidden, and a menu item is enough.
   */
  isDeclared: boolean;
  /** The only allowed names, or suggested names. */
  names?: string[];
  /** The pattern for names, which is shown as a hint. */
  namePattern?: string;
}

/** An ordered list of items. Its state is of kind `list`. */
export interface ListNode extends AnyNode {
  kind: 'list';
  /** The first items of a tuple, each with its own field. They cannot be moved. */
  prefix: Field[];
  /** The field of all other items. Undefined if the schema forbids them. */
  items?: Field;
  minItems?: number;
  maxItems?: number;
  isUnique?: boolean;
  /**
   * Whether the items are options from a short list. If so, and if `canShowCheckboxes` (places.ts) returns true, a
   * checkbox is drawn for each option.
   */
  isTickList?: boolean;
}

/**
 * The format of a text. `date` has its own kind of input, `date-time` and `color` have a button, `json` has several
 * lines; all other formats are hints.
 */
export type TextFormat = 'date' | 'time' | 'date-time' | 'email' | 'uri' | 'uuid' | 'color' | 'json' | 'other';

/** A text. Its state is of kind `text`. */
export interface TextNode extends AnyNode {
  kind: 'text';
  format?: TextFormat;
  minLength?: number;
  maxLength?: number;
  /** A pattern for the text. It must not run in a page, because a server may choose a pattern that takes very long. */
  pattern?: string;
  /** Suggested values. The list may be incomplete, or other values may be allowed as well. */
  suggestions?: string[];
  /** The media type of the content, for example `text/html`. */
  mediaType?: string;
  /** The encoding of binary content, for example `base64`. */
  encoding?: string;
}

/**
 * A number. Its state is of kind `number` and keeps the typed text. A text field with `inputmode` is drawn, because a
 * number field would lose incomplete input.
 */
export interface NumberNode extends AnyNode {
  kind: 'number';
  isInteger: boolean;
  minimum?: number;
  maximum?: number;
  /** Whether the minimum itself is not allowed. */
  isMinimumExclusive?: boolean;
  isMaximumExclusive?: boolean;
  /** The value must be a multiple of this number, which is also the step of the arrow keys. */
  step?: number;
}

/** A Boolean value. Its state is of kind `value`. */
interface SwitchNode extends AnyNode {
  kind: 'switch';
}

/** One of several values, including null if it is allowed. Its state is of kind `value`. */
export interface ChoiceNode extends AnyNode {
  kind: 'choice';
  /** The options; between 2 and 1,000. A longer list of texts becomes a text with suggestions. */
  options: Option[];
}

export interface Option {
  value: JsonValue;
  label: string;
  description?: string;
}

/** A single allowed value, which the user can only include or leave out. Its state is of kind `value`. */
export interface ConstantNode extends AnyNode {
  kind: 'constant';
  value: JsonValue;
  /** The value as text. */
  label: string;
}

/** One of several variants. The fields depend on the selected variant. Its state is of kind `variant`. */
export interface VariantNode extends AnyNode {
  kind: 'variant';
  /** At least two variants. `label` is the name of the variant. */
  variants: Field[];
  /** Whether the schema does not restrict the type. If so, the variants are the JSON types. */
  isAny?: boolean;
}

/** A field for JSON text. Its state is of kind `json`. */
interface JsonNode extends AnyNode {
  kind: 'json';
  reason: JsonReason;
}

export type JsonReason =
  /** The schema has too many parts, so no form is built for this part. */
  | 'too-large'
  /** The parts of the schema contradict each other, or the schema forbids every value. */
  | 'impossible';
