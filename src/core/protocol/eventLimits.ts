import { HostError } from '../base/hostError.js';

/**
 * Memory that the parser needs for one line of an event besides its text, in bytes. With this cost, endless empty
 * `data:` lines also reach the size limit.
 */
export const lineCost = 32;

/**
 * Maximum number of lines of one event. The parser of HTTP+SSE reads each event in one step, which takes about 9 ms for
 * this number of lines.
 */
export const maxEventLines = 50_000;

/** The error for an event with more lines than `maxEventLines`. */
export function tooManyLines(): HostError {
  return new HostError(
    'invalid-message',
    `An event of the server's event stream has more than ${maxEventLines.toLocaleString('en')} lines.`,
    { data: { problem: 'event-lines', limit: maxEventLines } },
  );
}
