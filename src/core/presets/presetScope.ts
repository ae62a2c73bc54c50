import { fitsAny, fitsWildcard } from '../base/wildcard.js';
import type { ServerEntry } from '../registry/serverEntry.js';
import type { Preset } from './presetFile.js';

/** The parts of one server that are on in a preset. */
export interface PresetScope {
  /** Whether the preset excludes the server. */
  isLeftOut: boolean;
  isOn(tool: string): boolean;
}

/** The effect of a preset on one server. Presets refer to servers by name or ID. */
export function scopeOf({ servers, tools }: Preset, { id, name }: Pick<ServerEntry, 'id' | 'name'>): PresetScope {
  const fits = (pattern: string) => fitsWildcard(pattern, name) || fitsWildcard(pattern, id);
  const isLeftOut = !servers.some(fits);
  const lists = Object.entries(tools).filter(([pattern]) => fits(pattern));
  return {
    isLeftOut,
    isOn: (tool) => !isLeftOut && (lists.length === 0 || lists.some(([, patterns]) => fitsAny(patterns, tool))),
  };
}
