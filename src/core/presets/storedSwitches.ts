/** Reads the stored tool switches and the stored active preset. A value that cannot be read is treated as off. */
import { isObject, isStringArray } from '../base/guards.js';
import type { Preset } from './presetFile.js';

/** The user's choices, by server and tool. */
export type ToolChoices = Readonly<Record<string, Readonly<Record<string, boolean>>>>;

/** The user's choices after earlier choices were lost. Tools without a choice are then off. */
export interface LostSwitches {
  isLost: true;
  /** The choices after the loss. The property name `words` is part of the stored data, so it cannot be changed. */
  words: ToolChoices;
}

/** Replaces a stored active preset that was lost. While it is active, everything is off. */
export const emptyPreset: Preset = { name: '?', servers: [], tools: {} };

/** Whether a stored value is a valid record of tool switches. */
export function areSwitches(value: unknown): value is ToolChoices | LostSwitches {
  return isObject(value) && areChoices(isMarked(value) ? value.words : value);
}

/**
 * An unreadable choice is treated as off. If the choices of any server are unreadable, all tools of all servers are
 * off, except those that a readable choice turns on.
 */
export function safeSwitches(value: unknown): ToolChoices | LostSwitches {
  const all: unknown = isObject(value) && isMarked(value) ? value.words : value;
  if (!isObject(all)) return { isLost: true, words: {} };
  const readable = Object.entries(all).flatMap(([server, tools]) =>
    isObject(tools) ? [[server, tools] as const] : [],
  );
  const choices = Object.fromEntries(
    readable.map(([server, tools]) => [
      server,
      Object.fromEntries(Object.entries(tools).map(([tool, choice]) => [tool, choice === true])),
    ]),
  );
  return all === value && readable.length === Object.keys(all).length ? choices : { isLost: true, words: choices };
}

/**
 * Reads the stored tool switches.
 * @param stored the value in the state; undefined if nothing was ever switched.
 */
export function readSwitches(stored: unknown): { isLost: boolean; words: ToolChoices } {
  const safe = stored === undefined ? {} : areSwitches(stored) ? stored : safeSwitches(stored);
  return isMarked(safe) ? safe : { isLost: false, words: safe };
}

/** Whether a stored value is a valid active preset; null means that no preset is active. */
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

function areChoices(value: unknown): value is ToolChoices {
  return (
    isObject(value) &&
    Object.values(value).every(
      (tools) => isObject(tools) && Object.values(tools).every((choice) => typeof choice === 'boolean'),
    )
  );
}

/** The choices of a server are an object and never `true`, so a server named `isLost` is not mistaken for the mark. */
function isMarked(value: object): value is LostSwitches {
  return 'isLost' in value && value.isLost === true;
}
