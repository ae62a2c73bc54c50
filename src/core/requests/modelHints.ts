import { isObject } from '../base/guards.js';

/**
 * How well a model matches the preferences of a server; lower is better. The rank is the index of the first hint that
 * is a substring of one of the model's names (specification: client/sampling, "Model Preferences": hints are
 * substrings, in order of preference).
 */
export function hintRank(preferences: unknown, names: readonly string[]): number {
  const hints = isObject(preferences) && Array.isArray(preferences['hints']) ? (preferences['hints'] as unknown[]) : [];
  const lower = names.map((name) => name.toLowerCase());
  const place = hints.findIndex(
    (hint) =>
      isObject(hint) &&
      typeof hint['name'] === 'string' &&
      lower.some((name) => name.includes(String(hint['name']).toLowerCase())),
  );
  return place < 0 ? hints.length : place;
}
