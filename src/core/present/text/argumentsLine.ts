import { visibleLine } from '../../base/hostileText.js';
import { beginningOf, jsonPieces } from './jsonText.js';

/** The arguments of a call on one line: `query: yy, limit: 3`. Empty if there are none. */
export function argumentsLine(values: Record<string, unknown>, maxLength = 80): string {
  const given = Object.entries(values)
    .slice(0, 20)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value.slice(0, 200) : jsonLine(value)}`);
  return given.length === 0 ? '' : visibleLine(given.join(', '), maxLength);
}

function jsonLine(value: unknown): string {
  return beginningOf(jsonPieces(value), 100).text.replace(/\s+/g, ' ');
}
