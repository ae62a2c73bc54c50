/** Removes secrets from a form state before it is stored, and restores them from the initial value. */
import { clearAt, setAt } from './edit.js';
import type { Field, Form } from './form.js';
import type { FormState } from './formState.js';
import { valueOf, valueToForm } from './formValue.js';
import { parseJson } from './formJson.js';
import { scanJson } from './looseJson.js';
import type { JsonValue } from '../json.js';
import { isObject, nameOfStep } from '../json.js';
import type { Place } from './place.js';
import { nodeOf, placesIn, rootPlace } from './places.js';
import { isSecretName } from '../secretNames.js';
import { withoutSettingSecret } from './settingSecrets.js';

/** Properties of the form's values. */
interface FormContent {
  /**
   * Whether the values are the definition of a server. If so, arguments, variables, headers and addresses may contain
   * secrets, and a value that may be a secret is treated as one. Default false.
   */
  isSetting?: boolean;
}

/** Whether the field or a field in it accepts input that must not be stored because it is secret. */
function acceptsSecrets(form: Form, from: Field): boolean {
  const nodes = new Set([from.node]);
  const waiting: Field[] = [from];
  for (let field = waiting.pop(); field; field = waiting.pop()) {
    if (field.isSecret === true) return true;
    for (const inner of fieldsOf(form, field)) {
      if (inner.isSecret === true) return true;
      if (nodes.has(inner.node)) continue;
      nodes.add(inner.node);
      waiting.push(inner);
    }
  }
  return false;
}

function fieldsOf(form: Form, field: Field): readonly Field[] {
  const node = nodeOf(form, field);
  switch (node.kind) {
    case 'object':
      return [...node.properties, ...(node.more ? [node.more.field] : [])];
    case 'list':
      return [...node.prefix, ...(node.items ? [node.items] : [])];
    case 'variant':
      return node.variants;
    default:
      return [];
  }
}

/**
 * Whether the text of a JSON editor must not be stored: a value in it may be a secret. In an invalid text and in
 * comments, secrets are recognized by their names. For the definition of a server, every invalid text and every comment
 * counts as secret.
 */
export function jsonHoldsSecrets(form: Form, field: Field, text: string, content: FormContent = {}): boolean {
  if (text.trim() === '') return false;
  if (acceptsSecrets(form, field)) return true;
  const parsed = parseJson(text);
  const unread = parsed ? comments(text) : text;
  if (parsed && valueHoldsSecrets(parsed.value, '', '', content)) return true;
  if (unread !== '' && content.isSetting === true) return true;
  return [...unread.matchAll(nameInText)].some(([, name = '']) => isSecretMemberName(name));
}

/** A name in front of a value, in text that is not valid JSON. */
const nameInText = /([\w.-]{1,100})["']?\s{0,20}[:=]/g;

function comments(text: string): string {
  const ranges = scanJson(text).extras.map(({ from, to }) => text.slice(from, to));
  return ranges.filter((range) => range.startsWith('/')).join('\n');
}

/** @param before the item before the value in its list. */
function valueHoldsSecrets(value: JsonValue, name: string, before: string, content: FormContent): boolean {
  if (value === null || value === '' || typeof value === 'boolean') return false;
  if (name !== '' && isSecretMemberName(name)) return true;
  if (typeof value === 'string')
    return (
      content.isSetting === true &&
      withoutSettingSecret(value, { ...(name === '' ? {} : { name }), isItem: name === '', before }) !== value
    );
  if (Array.isArray(value))
    return value.some((item, index) => {
      const last = value[index - 1];
      return valueHoldsSecrets(item, '', typeof last === 'string' ? last : '', content);
    });
  return isObject(value) && Object.entries(value).some(([key, inner]) => valueHoldsSecrets(inner, key, '', content));
}

/**
 * Whether the values must not be stored as text. This is the case if one of them is a secret or a field accepts a
 * secret.
 */
export function holdsSecrets(form: Form, state: FormState, content: FormContent = {}): boolean {
  return acceptsSecrets(form, form.root) || secretPlaces(form, rootPlace(form, state), content).length > 0;
}

/** The state without secrets, for storage. */
export function withoutSecrets(form: Form, state: FormState, content: FormContent = {}): FormState {
  return secretPlaces(form, rootPlace(form, state), content).reduce(
    (left, { place: { address }, rest }) =>
      rest === undefined ? clearAt(form, left, address) : setAt(form, left, address, { kind: 'text', text: rest }),
    state,
  );
}

/** A stored state to which the secrets of the initial value `start` are added, unless the user removed them. */
export function withSecretsOf(form: Form, state: FormState, start: JsonValue, content: FormContent = {}): FormState {
  const value = valueOf(state);
  const secrets = secretPlaces(form, rootPlace(form, valueToForm(form, start)), content);
  const whole = secrets.reduce((at, { place: { path, state: secret }, rest }) => {
    const kept = valueOf(secret);
    const tokens = path.split('/').slice(1).map(nameOfStep);
    return at === undefined || kept === undefined ? at : added(at, tokens, kept, rest);
  }, value);
  return whole === value ? state : valueToForm(form, whole);
}

/**
 * The value with the property `member` at this path. If the stored value contains the text `left`, from which a secret
 * was removed, that text is replaced. Otherwise, an existing property is not changed. Nothing is added if the parent is
 * missing.
 */
function added(value: JsonValue, [name = '', ...rest]: readonly string[], member: JsonValue, left?: string): JsonValue {
  if (Array.isArray(value)) {
    const item = value[Number(name)];
    if (item === undefined) return value;
    const changed = rest.length > 0 ? added(item, rest, member, left) : item === left ? member : item;
    return changed === item ? value : value.map((one, index) => (String(index) === name ? changed : one));
  }
  if (!isObject(value)) return value;
  const inner = Object.hasOwn(value, name) ? value[name] : undefined;
  if (rest.length === 0 && inner === undefined)
    return left === undefined ? Object.fromEntries([...Object.entries(value), [name, member]]) : value;
  if (inner === undefined) return value;
  const changed = rest.length > 0 ? added(inner, rest, member, left) : inner === left ? member : inner;
  return changed === inner
    ? value
    : Object.fromEntries(Object.entries(value).map(([key, one]) => [key, key === name ? changed : one]));
}

interface SecretPlace {
  place: Place;
  /** The text without the secret. Absent if nothing of the value is stored. */
  rest?: string;
}

function secretPlaces(form: Form, place: Place, content: FormContent, before?: Place): SecretPlace[] {
  if (place.field.isSecret === true || isSecretMember(place)) return place.state.kind === 'absent' ? [] : [{ place }];
  if (content.isSetting === true && place.state.kind === 'text') {
    const rest = withoutSettingSecret(place.state.text, {
      ...(place.role === 'member' && place.name !== undefined ? { name: place.name } : {}),
      isItem: place.index !== undefined,
      before: before?.state.kind === 'text' ? before.state.text : '',
    });
    return rest === place.state.text ? [] : [{ place, rest }];
  }
  if (place.state.kind === 'json') {
    const { text, before: earlier } = place.state;
    // The state also contains the value of the field before it was edited as JSON.
    const texts = [text, ...(earlier ? [earlier.text] : [])];
    return texts.some((one) => jsonHoldsSecrets(form, place.field, one, content)) ? [{ place }] : [];
  }
  const inner = placesIn(form, place);
  return inner.flatMap((one, index) => secretPlaces(form, one, content, inner[index - 1]));
}

/**
 * Whether the name of an additional property, such as an environment variable or a header, indicates a secret. The
 * schema does not describe such properties.
 */
function isSecretMember({ role, name = '' }: Place): boolean {
  return role === 'member' && isSecretMemberName(name);
}

function isSecretMemberName(name: string): boolean {
  return isSecretName(name) || /key$/i.test(name);
}
