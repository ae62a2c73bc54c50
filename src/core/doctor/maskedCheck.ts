import { maskText } from '../base/masking.js';
import type { Check } from './check.js';

/**
 * Minimum length, in characters, of the beginning of a secret that is removed. A shorter beginning reveals nothing and
 * occurs in many words.
 */
const minPart = 4;

/** The check with its secrets masked, including the beginning of a secret at the end of a truncated text. */
export function maskedCheck(check: Check, secrets: readonly string[]): Check {
  const seen = masked(check.seen, secrets);
  return check.fix === undefined ? { ...check, seen } : { ...check, seen, fix: masked(check.fix, secrets) };
}

function masked(text: string, secrets: readonly string[]): string {
  const [first = '', ...rest] = maskText(text, secrets).split('…');
  return rest.reduce((before, after) => `${withoutBeginning(before, secrets)}…${after}`, first);
}

/** Removes the beginning of a secret at the end of a text. */
function withoutBeginning(text: string, secrets: readonly string[]): string {
  let longest = 0;
  for (const secret of secrets) {
    for (let length = Math.min(secret.length, text.length); length >= Math.max(minPart, longest + 1); length--) {
      if (!text.endsWith(secret.slice(0, length))) continue;
      longest = length;
      break;
    }
  }
  return longest === 0 ? text : `${text.slice(0, -longest)}•••`;
}
