/**
 * A JSON Schema as a form: the fields as plain data that can be sent to a page. The values are separate, in a
 * `FormState` (formState.ts). `placesIn` (places.ts) combines both for drawing.
 *
 * The nodes are a flat table and refer to each other by index, so a recursive schema results in a finite form: a child
 * is drawn only if the state contains it. All texts are limited in length and safe to show as text (not as HTML). A
 * part that a form cannot represent is a node of kind `json`; `reason` contains why.
 */
import type { JsonValue } from '../json.js';

/** Index into `Form.nodes`. */
export type NodeId = number;

export interface Form {
  /** Its label is empty unless the schema has a title. */
  root: Field;
  /** The field for values that the schema does not describe. */
  other: Field;
  nodes: FormNode[];
  /** Problems of the schema, such as an unresolved reference or too many parts. A few complete sentences. */
  notices: string[];
}

/** One field of the form and its presentation. Several fields can use the same node with different names. */
export interface Field {
  node: NodeId;
  /**
   * The title in the schema, or a label made from the property name: `maxResults` becomes "Max results" (labels.ts).
   */
  label: string;
  /** May contain several lines and Markdown, which is shown unformatted. */
  description?: string;
  /** Listed in `required`. If there is also a default, a new form contains the default, and clearing it is valid. */
  isRequired: boolean;
  /**
   * The value that the server uses if nothing is set. Shown as the placeholder of the empty control, and set by "Reset
   * to default".
   */
  default?: JsonValue;
  /** At most five values. */
  examples?: JsonValue[];
  /** The placeholder: an example or the format of the value. Never the default. */
  placeholder?: string;
  /** Mask the input and do not store it. */
  isSecret?: boolean;
  /** The schema marks the value as read-only: the server ignores or rejects it. */
  isReadOnly?: boolean;
  isDeprecated?: boolean;
  /** Offer to pick a path from the workspace. */
  picker?: 'file' | 'folder' | 'any';
  /** Multiline text is likely, so draw a tall field. See also `needsLines` in places.ts, which examines the text. */
  isMultiline?: boolean;
  /** When this field is used, as a sentence without its period: `Used when "type" is "apiUrl"`. */
  condition?: string;
}

export type FormNode =
  ObjectNode | ListNode | TextNode | NumberNode | SwitchNode | ChoiceNode | ConstantNode | VariantNode | JsonNode;

interface AnyNode {
  /** The value can also be null: offer "Set to null" beside "Not set". State: `{ kind: 'value', value: null }`. */
  isNullable?: boolean;
}

/** An object: declared properties, additional properties, or both. State: `object`. */
export interface ObjectNode extends AnyNode {
  kind: 'object';
  /** In schema order. */
  properties: Property[];
  /** Additional properties. Undefined if the schema forbids them; existing ones are kept and drawn anyway. */
  more?: MoreMembers;
  minMembers?: number;
  maxMembers?: number;
}

export interface Property extends Field {
  name: string;
  /** Other properties. If one of them is set, this property is required. */
  requiredWith?: string[];
}

/** The additional properties of an object. */
export interface MoreMembers {
  /** The field of a new property. */
  field: Field;
  /** A property whose name matches `pattern` uses this field instead. The first match counts. */
  patterns: { pattern: string; field: Field }[];
  /**
   * The schema explicitly allows additional properties: draw an Add button. Otherwise they are only not forbidden, and
   * a menu item is enough.
   */
  isDeclared: boolean;
  /** The only allowed names, or suggested names. */
  names?: string[];
  /** The pattern for names. Shown as a hint. */
  namePattern?: string;
}

/** An ordered list of items. State: `list`. */
export interface ListNode extends AnyNode {
  kind: 'list';
  /** The first items of a tuple, each with its own field. They cannot be moved. */
  prefix: Field[];
  /** The field of all further items. Undefined if the schema forbids them. */
  items?: Field;
  minItems?: number;
  maxItems?: number;
  isUnique?: boolean;
  /** The items are options from a short list: draw a checkbox for each, if `canTick` (places.ts) returns true. */
  isTickList?: boolean;
}

/** The format of a text. `date`, `time`, and `date-time` have their own controls; the others are hints. */
export type TextFormat = 'date' | 'time' | 'date-time' | 'email' | 'uri' | 'uuid' | 'color' | 'json' | 'other';

/** State: `text`. */
export interface TextNode extends AnyNode {
  kind: 'text';
  format?: TextFormat;
  minLength?: number;
  maxLength?: number;
  /** Do not run this pattern in a page, because a server may choose one that takes very long. */
  pattern?: string;
  /** Suggested values. Other values are also allowed, or the list is incomplete. */
  suggestions?: string[];
  /** The media type of the content, for example `text/html`. */
  mediaType?: string;
  /** The encoding of binary content, for example `base64`. */
  encoding?: string;
}

/**
 * State: `number`, which keeps the typed text. Draw a text field with `inputmode`, because a number field loses
 * incomplete input.
 */
export interface NumberNode extends AnyNode {
  kind: 'number';
  isInteger: boolean;
  minimum?: number;
  maximum?: number;
  /** The bound itself is not allowed. */
  isMinimumExclusive?: boolean;
  isMaximumExclusive?: boolean;
  /** The value must be a multiple of this number. Also the step of the arrow keys. */
  step?: number;
}

/** A Boolean value. State: `value`. */
interface SwitchNode extends AnyNode {
  kind: 'switch';
}

/** One of several values, including null if it is allowed. State: `value`. */
export interface ChoiceNode extends AnyNode {
  kind: 'choice';
  /** Between 1 and 1,000 options. A longer list becomes a text with suggestions. */
  options: Option[];
}

export interface Option {
  value: JsonValue;
  label: string;
  description?: string;
}

/** A single allowed value: the user can only include it or leave it out. State: `value`. */
export interface ConstantNode extends AnyNode {
  kind: 'constant';
  value: JsonValue;
  /** The value as text. */
  label: string;
}

/** One of several variants. The fields depend on the selected variant. State: `variant`. */
export interface VariantNode extends AnyNode {
  kind: 'variant';
  /** At least two. `label` is the name of the variant. */
  variants: Field[];
  /** The schema does not restrict the type, so the variants are the JSON types. */
  isAny?: boolean;
}

/** A field for JSON text. State: `json`. */
interface JsonNode extends AnyNode {
  kind: 'json';
  reason: JsonReason;
}

export type JsonReason =
  /** The schema has too many parts for a form and was cut here. */
  | 'too-large'
  /** The parts of the schema contradict each other, or it forbids every value. */
  | 'impossible';
