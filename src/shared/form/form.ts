/**
 * A JSON Schema as a form: what there is to fill in, as plain data that crosses to a page. What is filled in lives apart,
 * in a `FormState` (formState.ts); `placesIn` (places.ts) walks both together and is what a page draws from.
 *
 * The nodes are a flat table and refer to each other by number, so a schema that refers to itself makes a finite form:
 * a child exists as soon as a state holds one, and never before. All texts are harmless to show (as text, not as HTML) and
 * bounded. What a form cannot say is a node of kind `json`, for that part only; `reason` tells why.
 */
import type { JsonValue } from '../json.js';

/** Index into `Form.nodes`. */
export type NodeId = number;

export interface Form {
  /** Its label is empty unless the schema has a title. */
  root: Field;
  /** Draws what a value has and the schema does not foresee. */
  other: Field;
  nodes: FormNode[];
  /** What about the schema could not be followed (a reference to nowhere, too many parts); whole sentences, few. */
  notices: string[];
}

/** One place of the form and how it is presented: the same node may stand at several places under different names. */
export interface Field {
  node: NodeId;
  /** The schema's title, or words made of the property's name: `maxResults` is "Max results" (labels.ts). */
  label: string;
  /** May have several lines and Markdown in it, which is shown as it stands. */
  description?: string;
  /**
   * Listed as required. Where there is a default as well, a new form has it filled in, and clearing it is no problem.
   */
  isRequired: boolean;
  /**
   * What the server takes when nothing is set; drawn as a ghost in the empty control, and offered as "Reset to
   * default".
   */
  default?: JsonValue;
  /** At most five. */
  examples?: JsonValue[];
  /** For the empty control: an example, or the form of a value; never the default. */
  placeholder?: string;
  /** Hide what is typed, and do not remember it. */
  isSecret?: boolean;
  /** The server says that it ignores or refuses a value here. */
  isReadOnly?: boolean;
  isDeprecated?: boolean;
  /** Offer to pick from the workspace. */
  picker?: 'file' | 'folder' | 'any';
  /**
   * A text of several lines is likely: draw a high field. See also `needsLines` in places.ts, which looks at the
   * text.
   */
  isMultiline?: boolean;
  /** Says when this field matters, as a sentence without its full stop: `Used when "type" is "apiUrl"`. */
  condition?: string;
}

export type FormNode =
  ObjectNode | ListNode | TextNode | NumberNode | SwitchNode | ChoiceNode | ConstantNode | VariantNode | JsonNode;

interface AnyNode {
  /** May be null as well: offer "Set to null" beside "Not set". State: `{ kind: 'value', value: null }`. */
  isNullable?: boolean;
}

/** Named members: a group of declared properties, a map with free names, or both. State: `object`. */
export interface ObjectNode extends AnyNode {
  kind: 'object';
  /** In the order of the schema. */
  properties: Property[];
  /** Members with other names; undefined: there may be none. Those that a value has all the same are kept and drawn. */
  more?: MoreMembers;
  minMembers?: number;
  maxMembers?: number;
}

export interface Property extends Field {
  name: string;
  /** Required as soon as one of these is set. */
  requiredWith?: string[];
}

/** The free members of an object. */
export interface MoreMembers {
  /** What a new member is. */
  field: Field;
  /** Members whose name fits `pattern` are this instead; the first that fits. */
  patterns: { pattern: string; field: Field }[];
  /**
   * The schema asks for them in words: draw an Add button. Otherwise nothing forbids them, and a menu entry is
   * enough.
   */
  isDeclared: boolean;
  /** The only names allowed, or good ones to choose from. */
  names?: string[];
  /** Names are checked by this; shown as a hint. */
  namePattern?: string;
}

/** Items in an order. State: `list`. */
export interface ListNode extends AnyNode {
  kind: 'list';
  /** The first items, each with a meaning of its own: a tuple. They are not moved. */
  prefix: Field[];
  /** Every further item; undefined: there may be none. */
  items?: Field;
  minItems?: number;
  maxItems?: number;
  isUnique?: boolean;
  /** The items are choices out of a few: draw a box to tick for each, as long as `canTick` (places.ts) says so. */
  isTickList?: boolean;
}

/** How a text is written; `date`, `time` and `date-time` have controls of their own, the others are hints. */
export type TextFormat = 'date' | 'time' | 'date-time' | 'email' | 'uri' | 'uuid' | 'color' | 'json' | 'other';

/** State: `text`. */
export interface TextNode extends AnyNode {
  kind: 'text';
  format?: TextFormat;
  minLength?: number;
  maxLength?: number;
  /** Not to be run in a page: the server may have chosen one that takes for ever. */
  pattern?: string;
  /** Good values; others are allowed, or there are more than fit. */
  suggestions?: string[];
  /** The media type of what the text holds, as in `text/html`. */
  mediaType?: string;
  /** How binary content is written as text, as in `base64`. */
  encoding?: string;
}

/**
 * State: `number`, which keeps what was typed. Draw a text field with `inputmode`: a number field loses what is
 * half-typed.
 */
export interface NumberNode extends AnyNode {
  kind: 'number';
  isInteger: boolean;
  minimum?: number;
  maximum?: number;
  /** The bounds themselves are not allowed. */
  isMinimumExclusive?: boolean;
  isMaximumExclusive?: boolean;
  /** A multiple of this; also the step of the arrow keys. */
  step?: number;
}

/** True or false. State: `value`. */
interface SwitchNode extends AnyNode {
  kind: 'switch';
}

/** One out of several values, null among them where it is allowed. State: `value`. */
export interface ChoiceNode extends AnyNode {
  kind: 'choice';
  /** Never empty, and at most 1,000; beyond that it is a text with suggestions. */
  options: Option[];
}

export interface Option {
  value: JsonValue;
  label: string;
  description?: string;
}

/** Only this value will do: nothing to fill in but whether it is there. State: `value`. */
export interface ConstantNode extends AnyNode {
  kind: 'constant';
  value: JsonValue;
  /** The value as text. */
  label: string;
}

/** One of several forms. The first choice of the user; what is below depends on it. State: `variant`. */
export interface VariantNode extends AnyNode {
  kind: 'variant';
  /** At least two; `label` names the choice. */
  variants: Field[];
  /** The schema says nothing about the kind of the value: the variants are the kinds of JSON. */
  isAny?: boolean;
}

/** A field for JSON text. State: `json`. */
interface JsonNode extends AnyNode {
  kind: 'json';
  reason: JsonReason;
}

export type JsonReason =
  /** The schema has too many parts for a form, and this is where it was cut. */
  | 'too-large'
  /** The parts of the schema contradict each other, or it forbids every value. */
  | 'impossible';
