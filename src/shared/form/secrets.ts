/** Removes secrets from a form state before it is stored, and restores them from the initial value. */
import { clearAt } from './edit.js';
import type { Form } from './form.js';
import type { FormState } from './formState.js';
import { valueOf, valueToForm } from './formValue.js';
import type { JsonValue } from '../json.js';
import { isObject } from '../json.js';
import type { Place } from './place.js';
import { placesIn, rootPlace } from './places.js';
import { isSecretName } from '../secretNames.js';

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
export function holdsSecrets(form: Form, state: FormState): boolean {
  return hasSecrets(form) || secretPlaces(form, rootPlace(form, state)).length > 0;
}

/** The state without secrets, for storage. */
export function withoutSecrets(form: Form, state: FormState): FormState {
  return secretPlaces(form, rootPlace(form, state)).reduce((left, { address }) => clearAt(form, left, address), state);
}

/** A stored state to which the secrets of the initial value `start` are added, unless the user removed them. */
export function withSecretsOf(form: Form, state: FormState, start: JsonValue): FormState {
  const value = valueOf(state);
  const whole = secretPlaces(form, rootPlace(form, valueToForm(form, start))).reduce((at, { path, state: secret }) => {
    const kept = valueOf(secret);
    const tokens = path
      .split('/')
      .slice(1)
      .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
    return at === undefined || kept === undefined ? at : added(at, tokens, kept);
  }, value);
  return whole === value ? state : valueToForm(form, whole);
}

/** The value with an added property. The value is unchanged if the property exists or its parent is missing. */
function added(value: JsonValue, [name = '', ...rest]: readonly string[], member: JsonValue): JsonValue {
  if (!isObject(value)) return value;
  const inner = Object.hasOwn(value, name) ? value[name] : undefined;
  if (rest.length === 0)
    return inner === undefined ? Object.fromEntries([...Object.entries(value), [name, member]]) : value;
  const changed = inner === undefined ? undefined : added(inner, rest, member);
  return changed === undefined || changed === inner
    ? value
    : Object.fromEntries(Object.entries(value).map(([key, one]) => [key, key === name ? changed : one]));
}

function secretPlaces(form: Form, place: Place): Place[] {
  if (place.field.isSecret === true || isSecretMember(place)) return place.state.kind === 'absent' ? [] : [place];
  return placesIn(form, place).flatMap((inner) => secretPlaces(form, inner));
}

/**
 * Whether the name of an additional property, such as an environment variable or a header, indicates a secret. The
 * schema does not describe such properties.
 */
function isSecretMember({ role, name = '' }: Place): boolean {
  return role === 'member' && (isSecretName(name) || /key$/i.test(name));
}
