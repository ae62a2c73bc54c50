import type { Form } from '../../shared/form/form.js';
import type { FormState } from '../../shared/form/formState.js';
import { placesIn, rootPlace } from '../../shared/form/places.js';
import type { Place } from '../../shared/form/place.js';
import { clearAt } from '../../shared/form/edit.js';

/** Whether a form has a field whose text must not be kept anywhere. */
export function hasSecrets(form: Form): boolean {
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

/** The state with every secret taken out, to be written down. */
export function withoutSecrets(form: Form, state: FormState): FormState {
  if (!hasSecrets(form)) return state;
  return secretPlaces(form, rootPlace(form, state)).reduce((left, { address }) => clearAt(form, left, address), state);
}

function secretPlaces(form: Form, place: Place): Place[] {
  if (place.field.isSecret === true) return place.state.kind === 'absent' ? [] : [place];
  return placesIn(form, place).flatMap((inner) => secretPlaces(form, inner));
}
