/** What is filled in and must not be written down: it is taken out of what is kept, and put back from where it came from. */
import { clearAt } from './edit.js';
import type { Form } from './form.js';
import type { FormState } from './formState.js';
import { valueOf, valueToForm } from './formValue.js';
import type { JsonValue } from './json.js';
import { isObject } from './json.js';
import type { Place } from './place.js';
import { placesIn, rootPlace } from './places.js';

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

/** A state that was kept without them, with the secrets of what the form began with: they were not taken away by the user. */
export function withSecretsOf(form: Form, state: FormState, start: JsonValue): FormState {
  const value = structuredClone(valueOf(state));
  let isChanged = false;
  for (const { path, state: secret } of secretPlaces(form, rootPlace(form, valueToForm(form, start)))) {
    const tokens = path.split('/').slice(1).map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
    const name = tokens.pop();
    const holder = tokens.reduce<unknown>((at, token) => (isObject(at) && Object.hasOwn(at, token) ? at[token] : undefined), value);
    const kept = valueOf(secret);
    if (name === undefined || kept === undefined || !isObject(holder) || Object.hasOwn(holder, name)) continue;
    // defineProperty, because a member may be called `__proto__`.
    Object.defineProperty(holder, name, { value: kept, enumerable: true, configurable: true, writable: true });
    isChanged = true;
  }
  return isChanged ? valueToForm(form, value) : state;
}

function secretPlaces(form: Form, place: Place): Place[] {
  if (place.field.isSecret === true || isSecretMember(place)) return place.state.kind === 'absent' ? [] : [place];
  return placesIn(form, place).flatMap((inner) => secretPlaces(form, inner));
}

/** No schema tells of a member that the user names: variables of an environment, headers. */
function isSecretMember({ role, name = '' }: Place): boolean {
  return role === 'member' && /token|key|secret|passw|pwd|credential|authorization|cookie|bearer/i.test(name.slice(0, 200));
}
