/**
 * What is filled in and must not be written down: it is taken out of what is kept, and put back from where it came
 * from.
 */
import { clearAt } from './edit.js';
import type { Form } from './form.js';
import type { FormState } from './formState.js';
import { valueOf, valueToForm } from './formValue.js';
import type { JsonValue } from '../json.js';
import { isObject } from '../json.js';
import type { Place } from './place.js';
import { placesIn, rootPlace } from './places.js';
import { isSecretName } from '../secretNames.js';

/** Whether a form has a field whose text must not be kept anywhere. */
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

/** Whether a text of these values must not be kept: one of them is a secret, or one field would take one. */
export function holdsSecrets(form: Form, state: FormState): boolean {
  return hasSecrets(form) || secretPlaces(form, rootPlace(form, state)).length > 0;
}

/** The state with every secret taken out, to be written down. */
export function withoutSecrets(form: Form, state: FormState): FormState {
  return secretPlaces(form, rootPlace(form, state)).reduce((left, { address }) => clearAt(form, left, address), state);
}

/**
 * A state that was kept without them, with the secrets of what the form began with: they were not taken away by the
 * user.
 */
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

/** The value with a member where none is; the same where there is one, or nothing to hold it. */
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
 * No schema tells of a member that the user names: variables of an environment, headers. There keys are what they are
 * called.
 */
function isSecretMember({ role, name = '' }: Place): boolean {
  return role === 'member' && (isSecretName(name) || /key$/i.test(name));
}
