import { parseExact } from '../base/exactNumbers.js';
import { HostError } from '../base/hostError.js';

/** The size limit allows one value for this many bytes. */
const bytesPerValue = 32;
/** Number of values that a message can always have, however small the size limit is. */
const minValues = 262_144;

/** The result of `parseMessage` for a text that is not JSON. */
export const notJson = Symbol('not JSON');

/**
 * Parses one received message, for all transports. Numbers keep their digits (`parseExact`).
 *
 * The number of values is limited, because it determines the time and the memory that a message needs: 60 MiB of `{}`
 * need ten seconds and more than a gigabyte, but 60 MiB in one string need 0.1 seconds. A value is an element of a list
 * or a member of an object. The limit is one value for every 32 bytes of `maxBytes`, and at least 262,144.
 * @param maxBytes size limit of a message.
 * @returns the value, or `notJson`. Throws HostError `too-large` for too many values. Linear in the text.
 */
export function parseMessage(text: string, maxBytes: number): unknown {
  const maxValues = maxValuesOf(maxBytes);
  // Each value needs more than one character, so a shorter text cannot have too many.
  if (text.length > maxValues && hasMoreValues(text, maxValues)) throw tooManyValues(maxValues, maxBytes);
  try {
    return parseExact(text);
  } catch {
    return notJson;
  }
}

/** The maximum number of values in a message. */
export function maxValuesOf(maxBytes: number): number {
  return Math.max(minValues, Math.ceil(maxBytes / bytesPerValue));
}

/**
 * Whether a JSON text has more than `limit` commas and opening brackets outside of strings. Each value follows a comma,
 * or the opening bracket of its list or object, so there are at least as many of them as values. Stops at the limit.
 */
function hasMoreValues(text: string, limit: number): boolean {
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 34: // quotation mark
        at = endOfString(text, at);
        break;
      case 44: // comma
      case 91: // left square bracket
      case 123: // left curly bracket
        if (++values > limit) return true;
    }
  }
  return false;
}

/** The position of the closing quotation mark; the end of the text if there is none. */
function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let slashes = 0;
    while (text.charCodeAt(quote - 1 - slashes) === 92) slashes++;
    if (slashes % 2 === 0) return quote;
  }
  return text.length;
}

function tooManyValues(limitValues: number, limitBytes: number): HostError {
  return new HostError('too-large', `A message has more than ${limitValues.toLocaleString('en')} values.`, {
    hint: 'Increase the setting mcpDeck.limits.maxMessageBytes if the server is meant to send this many.',
    data: { limitBytes, limitValues },
  });
}
