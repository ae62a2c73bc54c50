import type { Preset } from './presetFile.js';

/**
 * Whether nothing is on under `preset` that is off under `other`, whatever servers and tools there are; undefined is no
 * preset. False where that is not certain: patterns are compared as they are written.
 */
export function isWithin(preset: Preset | undefined, other: Preset | undefined): boolean {
  if (!other || preset?.servers.length === 0) return true;
  if (!preset || !isPart(preset.servers, other.servers)) return false;
  // Lists add up, so a list more would widen; where there is none, all tools are on.
  const names = Object.keys(other.tools);
  if (names.length === 0) return true;
  return names.length === Object.keys(preset.tools).length && names.every((name) => Object.hasOwn(preset.tools, name) && isPart(preset.tools[name], other.tools[name]));
}

function isPart(patterns: readonly string[] = [], all: readonly string[] = []): boolean {
  return all.includes('*') || patterns.every((pattern) => all.includes(pattern));
}
