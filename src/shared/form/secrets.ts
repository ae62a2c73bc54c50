/** Removes secrets from a form state before it is stored, and restores them from the initial value. */
import { clearAt, setAt } from './edit.js';
import type { Form } from './form.js';
import type { FormState } from './formState.js';
import { valueOf, valueToForm } from './formValue.js';
import type { JsonValue } from '../json.js';
import { isObject } from '../json.js';
import type { Place } from './place.js';
import { placesIn, rootPlace } from './places.js';
import { isSecretName } from '../secretNames.js';
import { withoutSettingSecret } from './settingSecrets.js';

/** The values of a form. */
interface FormContent {
  /**
   * Whether the values are the definition of a server. If so, arguments, variables, headers and addresses may contain
   * secrets, and doubtful values count as secrets. Default false.
   */
  isSetting?: boolean;
}

/** Whether a form has a field whose input must not be stored because it is secret. */
function hasSecrets(form: Form): boolean {
  const isSecret = (field: { isSecret?: boolean }) => field.isSecret === true;
  return form.nodes.some((node) => {
    switch (node.kind) {
      case 'object':
        return node.properties.some(isSecret) || (node.more !== undefined && isSecret(node.more.field));
      case 'list':
        return node.prefix.some(isSecret) || (node.items !== undefined && isSecret(node.items));
      case 'variant':
        return node.variants.some(isSecret);
      default:
        return false;
    }
  });
}

/**
 * Whether the values must not be stored as text. This is the case if one of them is a secret or a field accepts a
 * secret.
 */
export function holdsSecrets(form: Form, state: FormState, content: FormContent = {}): boolean {
  return hasSecrets(form) || secretPlaces(form, rootPlace(form, state), content).length > 0;
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
    const tokens = path
      .split('/')
      .slice(1)
      .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
    return at === undefined || kept === undefined ? at : added(at, tokens, kept, rest);
  }, value);
  return whole === value ? state : valueToForm(form, whole);
}

/**
 * The value with an added property. The value is unchanged if the property exists or its parent is missing. A property
 * or item that is the text `left` is replaced, because that is what was stored of it.
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
  const inner = placesIn(form, place);
  return inner.flatMap((one, index) => secretPlaces(form, one, content, inner[index - 1]));
}

/**
 * Whether the name of an additional property, such as an environment variable or a header, indicates a secret. The
 * schema does not describe such properties.
 */
function isSecretMember({ role, name = '' }: Place): boolean {
  return role === 'member' && (isSecretName(name) || /key$/i.test(name));
}
