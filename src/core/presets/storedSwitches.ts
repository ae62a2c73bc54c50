/**
 * How the switches of tools and the active preset are stored, and what counts where that cannot be read: the narrow
 * side.
 */
import { isObject, isStringArray } from '../base/guards.js';
import type { Preset } from './presetFile.js';

/** By server and tool: the user's own word. */
export type ToolWords = Readonly<Record<string, Readonly<Record<string, boolean>>>>;

/** Words of which others were lost: what they do not name is off. */
export interface LostSwitches {
  isLost: true;
  words: ToolWords;
}

/** Counts for an active preset that was lost: nothing is on. */
export const emptyPreset: Preset = { name: '?', servers: [], tools: {} };

export function areSwitches(value: unknown): value is ToolWords | LostSwitches {
  return isObject(value) && areWords(isMarked(value) ? value.words : value);
}

/** A word that cannot be read is a no; of a server that cannot be read nobody knows which tools were off. */
export function safeSwitches(value: unknown): ToolWords | LostSwitches {
  const all: unknown = isObject(value) && isMarked(value) ? value.words : value;
  if (!isObject(all)) return { isLost: true, words: {} };
  const readable = Object.entries(all).flatMap(([server, tools]) =>
    isObject(tools) ? [[server, tools] as const] : [],
  );
  const words = Object.fromEntries(
    readable.map(([server, tools]) => [
      server,
      Object.fromEntries(Object.entries(tools).map(([tool, word]) => [tool, word === true])),
    ]),
  );
  return all === value && readable.length === Object.keys(all).length ? words : { isLost: true, words };
}

/** @param stored as it stands in the state; undefined: nothing was ever switched. */
export function readSwitches(stored: unknown): { isLost: boolean; words: ToolWords } {
  const safe = stored === undefined ? {} : areSwitches(stored) ? stored : safeSwitches(stored);
  return isMarked(safe) ? safe : { isLost: false, words: safe };
}

export function isActivePreset(value: unknown): value is Preset | null {
  if (value === null) return true;
  return (
    isObject(value) &&
    typeof value['name'] === 'string' &&
    isStringArray(value['servers']) &&
    isObject(value['tools']) &&
    Object.values(value['tools']).every(isStringArray)
  );
}

function areWords(value: unknown): value is ToolWords {
  return (
    isObject(value) &&
    Object.values(value).every(
      (tools) => isObject(tools) && Object.values(tools).every((word) => typeof word === 'boolean'),
    )
  );
}

/** Words by server are objects, so no server's name is taken for the mark. */
function isMarked(value: object): value is LostSwitches {
  return 'isLost' in value && value.isLost === true;
}
