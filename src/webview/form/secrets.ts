import type { Form } from '../../shared/form/form.js';
import type { FormState } from '../../shared/form/formState.js';
import { placesIn, rootPlace } from '../../shared/form/places.js';
import type { Place } from '../../shared/form/place.js';
import { clearAt } from '../../shared/form/edit.js';

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

function secretPlaces(form: Form, place: Place): Place[] {
  if (place.field.isSecret === true || isSecretMember(place)) return place.state.kind === 'absent' ? [] : [place];
  return placesIn(form, place).flatMap((inner) => secretPlaces(form, inner));
}

/** No schema tells of a member that the user names: variables of an environment, headers. */
function isSecretMember({ role, name = '' }: Place): boolean {
  return role === 'member' && /token|key|secret|passw|pwd|credential|authorization|cookie|bearer/i.test(name.slice(0, 200));
}
