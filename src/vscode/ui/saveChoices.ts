import type { SaveChoice } from '../../core/present/form/newServer.js';
import { labelAmongFolders } from '../adapters/configurationFiles.js';
import type { OwnPlace } from '../adapters/ownPlaces.js';
import { descriptionOfPlace, ownPlaces } from '../adapters/ownPlaces.js';

/** The files and settings that a new server can be saved to, as the choices of its form. */
export function saveChoices(): SaveChoice[] {
  return ownPlaces().map((place) => ({
    key: keyOf(place),
    label: labelAmongFolders(place.source),
    description: descriptionOfPlace(place),
  }));
}

/** The value for a file or setting in the form. It is unique, and it is readable in JSON. */
export function keyOf(place: OwnPlace | undefined): string {
  if (!place) return '';
  const isAlone = ownPlaces().filter(({ kind }) => kind === place.kind).length === 1;
  return isAlone ? place.kind : `${place.kind} ${place.source.folderIndex ?? 0}`;
}

/** The file or setting of a choice. Undefined if it no longer exists. */
export function placeOfKey(key: string): OwnPlace | undefined {
  return ownPlaces().find((place) => keyOf(place) === key);
}
