import { countHidden } from '../base/hostileText.js';
import type { ToolDefinition } from '../consent/toolDefinition.js';
import type { Localize } from './localize.js';

/** How many hidden characters stand anywhere in what a server says of a tool. */
export function hiddenInTool({ name, title, description, inputSchema, outputSchema, annotations }: ToolDefinition): number {
  return hiddenIn([name, title, description, inputSchema, outputSchema, annotations]);
}

/** How many hidden characters stand in the texts of a JSON value, names of members included. */
export function hiddenIn(value: unknown): number {
  let count = 0;
  const waiting = [value];
  // A value that holds itself, or one thing many times, is counted once.
  const seen = new Set<object>();
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === 'string') count += countHidden(next);
    else if (typeof next === 'object' && next !== null && !seen.has(next)) {
      seen.add(next);
      for (const [name, member] of Object.entries(next)) waiting.push(name, member);
    }
  }
  return count;
}

/** The words of a badge: `3 hidden characters`. */
export function hiddenWords(count: number, t: Localize): string {
  return count === 1 ? t('1 hidden character') : t('{0} hidden characters', count);
}
