/**
 * Converts the input schema of a tool to questions for quick input, one per argument. An argument that cannot be
 * entered in a text field or a list is entered as JSON; if the schema does not list properties, all arguments are
 * entered as one JSON object. An unusual schema leads to simpler questions, never to an error, because the complete
 * arguments are validated against the schema before they are sent.
 */
import { t } from '@vscode/l10n';
import { formatExample, isSecretArgument, shownBounds } from '../../../shared/form/hints.js';
import { jsonProblem, numberProblem, parseJson, readNumber } from '../../../shared/form/formJson.js';
import { isSecretField, isSecretName } from '../../../shared/secretNames.js';
import { isObject, isStringArray } from '../../base/guards.js';
import { visibleLine } from '../../base/hostileText.js';
import { toolSecrets } from '../../trace/toolSecrets.js';
import type { JsonSchema, ToolAnnotations } from '../../protocol/mcp.js';
import type { StepKind, StepOption, StepShape } from './schemaReader.js';
import { SchemaReader } from './schemaReader.js';

export type { StepOption } from './schemaReader.js';

/** One question. Each text is on one line, with hidden characters made visible. */
export interface ArgumentStep {
  /** The name of the argument. Undefined if this step asks for all arguments as one JSON object. */
  key: string | undefined;
  /** The title, followed by the name if it differs. */
  title: string;
  /** The server's description, shortened. */
  prompt: string;
  kind: StepKind;
  /** The choices, for `enum`, `multi-enum` and `boolean`. */
  options: readonly StepOption[];
  isRequired: boolean;
  /** Whether the value may be null. If so, a required text or number that is left empty is null. */
  isNullable: boolean;
  default?: unknown;
  /** The text that is shown while the field is empty: an example or the format of the value. */
  placeholder: string;
  /** Whether the input is masked and not remembered. */
  isSecret: boolean;
  /** For a `json` step: whether input that is not JSON is used as text, because the schema also allows text. */
  takesText: boolean;
  /** For a `json` step with a list of texts: whether `a, b` is also accepted. */
  takesList: boolean;
  /** The initial content of a `json` step without a value. */
  skeleton?: string;
}

/** All questions about the arguments of one tool. */
export interface ArgumentPlan {
  /** The arguments that are always asked for, in the order of the schema. */
  required: readonly ArgumentStep[];
  /** The arguments that are asked for when the user selects them. */
  optional: readonly ArgumentStep[];
  /** Arguments with only one possible value, which are set without asking. */
  fixed: Readonly<Record<string, unknown>>;
}

/**
 * The value of a text field, or the problem with it. An undefined value leaves an optional argument out. The problem
 * completes a sentence that starts with the title.
 */
export type StepValue = { value: unknown } | { problem: string };

/** Maximum number of required and of optional questions. If there are more, the arguments are one JSON object. */
const maxRequired = 30;
const maxOptional = 500;
/** Maximum length of a default value that is filled in, in characters. Longer default values are left to the server. */
const maxFieldLength = 10_000;

/** The subject of a form: the arguments of a call, or the answer to a request of a server. */
export type FormSubject = 'arguments' | 'answer';

/** The questions about the arguments of a tool, required ones first, each list in the order of the schema. */
export function planArguments(schema: JsonSchema, subject: FormSubject = 'arguments'): ArgumentPlan {
  const reader = new SchemaReader(schema);
  const shape = reader.objectShape(schema);
  if (shape === 'other') return { required: [wholeStep(schema, subject)], optional: [], fixed: {} };
  const required: ArgumentStep[] = [];
  const optional: ArgumentStep[] = [];
  const fixed: [string, unknown][] = [];
  for (const [key, property] of shape.properties) {
    const resolved = reader.resolve(property);
    const isRequired = shape.required.has(key) && resolved['default'] === undefined;
    if (isRequired && Object.hasOwn(resolved, 'const')) fixed.push([key, resolved['const']]);
    else (isRequired ? required : optional).push(stepFor(key, resolved, isRequired, reader));
    if (reader.isSpent) break;
  }
  if (required.length > maxRequired || optional.length > maxOptional || reader.isSpent)
    return { required: [wholeStep(schema, subject)], optional: [], fixed: {} };
  // `fromEntries` is used because an argument may be called `__proto__`.
  return { required, optional, fixed: Object.fromEntries(fixed) };
}

/** Whether a run can start without any question. */
export function needsNoArguments(plan: ArgumentPlan): boolean {
  return plan.required.length === 0 && plan.optional.length === 0;
}

const maxQuickArguments = 3;

/**
 * True if there are only optional arguments, and few enough to ask for each of them. If there are required arguments,
 * only these are asked for, and a button leads to the others.
 */
export function asksForAll({ required, optional }: ArgumentPlan): boolean {
  return required.length === 0 && optional.length <= maxQuickArguments;
}

/**
 * True when a page is more suitable than single questions: if there are more than three arguments, if an argument must
 * be entered as JSON, or if a tool with arguments can destroy data. In an input box, Enter would run such a tool
 * without a warning, and without its optional arguments.
 */
export function needsPanel(plan: ArgumentPlan, annotations: ToolAnnotations = {}): boolean {
  const steps = [...plan.required, ...plan.optional];
  if (steps.length > 0 && annotations.destructiveHint === true && annotations.readOnlyHint !== true) return true;
  return steps.length > maxQuickArguments || steps.some(({ kind, takesList }) => kind === 'json' && !takesList);
}

/**
 * Parses the text of a field; kinds with `options` are selected from a list instead. An empty field leaves an optional
 * argument out, and means null for a required text or number that may be null.
 */
export function readStepValue(step: ArgumentStep, text: string): StepValue {
  const trimmed = text.trim();
  // A single question cannot distinguish an empty text from no answer. The page with the form of the tool can.
  if (trimmed === '' && !step.isRequired) return { value: undefined };
  switch (step.kind) {
    case 'text':
      return { value: text === '' && step.isNullable ? null : text };
    case 'number':
    case 'integer':
      if (trimmed === '' && step.isNullable) return { value: null };
      return readNumericAnswer(trimmed, step.kind === 'integer');
    default:
      return readJson(step, text, trimmed);
  }
}

/** The text of the field for a value; the inverse of `readStepValue`. */
export function answerText(step: ArgumentStep, value: unknown): string {
  if (value === undefined) return step.kind === 'json' ? (step.skeleton ?? '') : '';
  if (value === null && step.isNullable && step.kind !== 'json') return '';
  if (typeof value === 'string' && step.kind !== 'json') return value;
  if (
    step.takesList &&
    isStringArray(value) &&
    value.every((item) => /^[^\s,[][^,]*$/.test(item) && item === item.trim())
  )
    return value.join(', ');
  // A text is shown as plain text if the step would parse it back to the same text.
  if (typeof value === 'string' && step.takesText && parseJson(value.trim()) === undefined) return value;
  return JSON.stringify(value) ?? '';
}

/** A question that takes all arguments at once. */
export function wholeStep(schema: JsonSchema, subject: FormSubject = 'arguments'): ArgumentStep {
  return {
    key: undefined,
    // The problems with the text are sentences that start with the title.
    title: t('The text'),
    prompt: subject === 'answer' ? t('The whole answer as one JSON object') : t('All arguments as one JSON object'),
    kind: 'json',
    options: [],
    isRequired: true,
    isNullable: false,
    placeholder: '{"…": …}',
    isSecret: false,
    takesText: false,
    takesList: false,
    skeleton: skeletonText(schema, new SchemaReader(schema)) || '{}',
  };
}

function readNumericAnswer(text: string, isInteger: boolean): StepValue {
  const value = readNumber(text);
  if (value === undefined || (isInteger && !Number.isInteger(value)))
    return { problem: numberProblem(text, isInteger) ?? t('must be an integer') };
  return { value };
}

function readJson(step: ArgumentStep, text: string, trimmed: string): StepValue {
  if (step.takesList && !trimmed.startsWith('['))
    return { value: trimmed === '' ? [] : trimmed.split(',').map((item) => item.trim()) };
  const parsed = parseJson(trimmed);
  if (parsed) {
    if (step.key === undefined && !isObject(parsed.value)) return { problem: t('must be a JSON object') };
    return parsed;
  }
  if (step.takesText) return { value: text };
  if (trimmed === '') return { problem: t('must not be empty') };
  return { problem: t('is not valid JSON: {0}', jsonProblem(trimmed) ?? '') };
}

function stepFor(key: string, schema: JsonSchema, isRequired: boolean, reader: SchemaReader): ArgumentStep {
  const kind = reader.kindOf(schema);
  const fallback = schema['default'];
  const isShort = fallback !== undefined && (reader.json(fallback)?.length ?? Infinity) <= maxFieldLength;
  const name = visibleLine(key, 80);
  const title =
    typeof schema['title'] === 'string' && schema['title'].trim() !== '' ? visibleLine(schema['title'], 80) : name;
  const plain = (text: string) => text.toLowerCase().replace(/[\s_-]/g, '');
  return {
    key,
    title: plain(title) === plain(name) ? title : `${title} (${name})`,
    prompt: typeof schema['description'] === 'string' ? visibleLine(schema['description'], 500) : '',
    kind: kind.kind,
    options: kind.options ?? [],
    isRequired,
    isNullable: kind.isNullable,
    ...(isShort ? { default: fallback } : {}),
    placeholder: placeholder(schema, kind, reader),
    isSecret: kind.kind === 'text' && isSecretArgument(key, schema),
    takesText: kind.takesText ?? false,
    takesList: kind.isTextList ?? false,
    ...(kind.kind === 'json' && kind.isTextList !== true ? { skeleton: skeletonText(schema, reader) } : {}),
  };
}

function skeletonText(schema: JsonSchema, reader: SchemaReader): string {
  const skeleton = reader.skeleton(schema, 0);
  const text = skeleton === undefined ? '' : (reader.json(skeleton) ?? '');
  return text.length > maxFieldLength || reader.isSpent ? '' : text;
}

function placeholder(schema: JsonSchema, kind: StepShape, reader: SchemaReader): string {
  const examples = Array.isArray(schema['examples'])
    ? schema['examples']
    : schema['example'] === undefined
      ? []
      : [schema['example']];
  if (examples.length > 0) {
    return t(
      'for example {0}',
      visibleLine(
        examples
          .slice(0, 3)
          .map((value) => (typeof value === 'string' ? value : (reader.json(value) ?? '…')))
          .join(', '),
        120,
      ),
    );
  }
  const { minimum, maximum } = shownBounds({
    minimum: typeof schema['minimum'] === 'number' ? schema['minimum'] : undefined,
    maximum: typeof schema['maximum'] === 'number' ? schema['maximum'] : undefined,
  });
  switch (kind.kind) {
    case 'number':
    case 'integer':
      if (minimum !== undefined && maximum !== undefined) return t('{0} to {1}', minimum, maximum);
      return kind.kind === 'integer' ? t('an integer') : t('a number');
    case 'json':
      return kind.takesText === true ? t('text or JSON') : kind.isTextList === true ? t('a, b, c, or JSON') : t('JSON');
    case 'text':
      return typeof schema['format'] === 'string'
        ? (formatExample(schema['format']) ?? visibleLine(schema['format'], 40))
        : '';
    default:
      return '';
  }
}

/**
 * The names of the given arguments that are or contain secrets, according to their names and schemas. Without a schema,
 * all of them.
 */
export function secretArguments(
  schema: JsonSchema | undefined,
  values: Readonly<Record<string, unknown>>,
): Set<string> {
  if (!schema) return new Set(Object.keys(values));
  const places = toolSecrets(schema).place;
  const isSecret = (key: string) =>
    isSecretProperty(key, schema['properties']) ||
    places?.isSecret === true ||
    (places?.members?.get(key) ?? places?.rest) !== undefined ||
    hasSecretName(values[key]);
  return new Set(Object.keys(values).filter(isSecret));
}

/** The answers of `isSecretField` for the declared properties of the tools that were called, by their `properties`. */
const known = new WeakMap<object, Map<string, boolean>>();

/** `isSecretField`, remembered for declared properties, because several patterns are tested for each of them. */
function isSecretProperty(key: string, properties: unknown): boolean {
  if (!isObject(properties) || !Object.hasOwn(properties, key)) return isSecretField(key, undefined);
  let answers = known.get(properties);
  if (!answers) known.set(properties, (answers = new Map<string, boolean>()));
  let answer = answers.get(key);
  if (answer === undefined) answers.set(key, (answer = isSecretField(key, properties[key])));
  return answer;
}

/** Maximum number of parts of an argument that are checked; a larger argument is treated as a secret. */
const maxParts = 10_000;

/** Whether any field in a value has the name of a secret. */
function hasSecretName(value: unknown): boolean {
  const waiting: unknown[] = [value];
  for (let looked = 0; waiting.length > 0; looked++) {
    if (looked >= maxParts) return true;
    const part = waiting.pop();
    if (Array.isArray(part)) waiting.push(...(part as unknown[]).slice(0, maxParts));
    else if (isObject(part)) {
      if (Object.keys(part).some(isSecretName)) return true;
      waiting.push(...Object.values(part).slice(0, maxParts));
    }
  }
  return false;
}
