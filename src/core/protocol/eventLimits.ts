import { HostError } from '../base/hostError.js';

/**
 * What one line of an event costs its parser in memory besides its text, in bytes: endless empty `data:` lines have to
 * meet the size limit too.
 */
export const lineCost = 32;

/** Lines of one event. The parser of HTTP+SSE reads a whole event at a stretch: this number takes it about 9 ms. */
export const maxEventLines = 50_000;

/** The error for an event with more lines than `maxEventLines`. */
export function tooManyLines(): HostError {
  return new HostError(
    'invalid-message',
    `An event of its event stream has more than ${maxEventLines.toLocaleString('en')} lines.`,
    { data: { problem: 'event-lines', limit: maxEventLines } },
  );
}
