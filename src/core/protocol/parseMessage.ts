import { randomInt } from 'node:crypto';
import { parseExact } from '../base/exactNumbers.js';
import { HostError } from '../base/hostError.js';

/** Number of bytes of the size limit for which one value is allowed. */
const bytesPerValue = 32;
/** Number of values that a message can always have, however small the size limit is. */
const minValues = 262_144;

/**
 * Maximum number of different property names in a message. V8 needs about 10 µs for each name that occurs nowhere
 * else, so 20 MiB of such names would stop the extension host for more than 20 seconds.
 */
const maxPropertyNames = 262_144;
const nameSeed = randomInt(2 ** 32);

/** The result of `parseMessage` for a text that is not JSON. */
export const notJson = Symbol('not JSON');

/**
 * Parses one received message, for all transports. Numbers keep their digits (`parseExact`).
 *
 * The number of values is limited, because it determines the time and the memory that a message needs: 60 MiB of `{}`
 * need ten seconds and more than a gigabyte, but 60 MiB in one string need 0.1 seconds. A value is an element of a list
 * or a member of an object. The limit is one value for every 32 bytes of `maxBytes`, and at least 262,144.
 * The number of different names is limited for the same reason.
 * @param maxBytes size limit of a message.
 * @returns the value, or `notJson`. Throws HostError `too-large` for too many values or names. Linear in the text.
 */
export function parseMessage(text: string, maxBytes: number): unknown {
  const maxValues = maxValuesOf(maxBytes);
  // Each value needs more than one character, so a shorter text cannot have too many.
  if (text.length > maxValues) checkCounts(text, maxValues, maxBytes);
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
 * Throws if a JSON text has more than `maxValues` commas and opening brackets outside of strings, or too many different
 * names. Each value follows a comma, or the opening bracket of its list or object, so there are at least as many of
 * them as values.
 */
function checkCounts(text: string, maxValues: number, maxBytes: number): void {
  const names = new NameCount();
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 34: {
        // quotation mark
        const end = endOfString(text, at);
        if (isName(text, end + 1) && names.add(text, at + 1, end) > maxPropertyNames) throw tooManyNames(maxBytes);
        at = end;
        break;
      }
      case 44: // comma
      case 91: // left square bracket
      case 123: // left curly bracket
        if (++values > maxValues) throw tooManyValues(maxValues, maxBytes);
    }
  }
}

/** Whether a colon follows, so that the string before it is a name. */
function isName(text: string, at: number): boolean {
  let code = text.charCodeAt(at);
  while (code === 32 || code === 10 || code === 13 || code === 9) code = text.charCodeAt(++at);
  return code === 58;
}

/**
 * Counts different names by a bit for each hash, so that many repeated names cost little. Equal hashes make the count a
 * little too low. A server cannot choose them, because the hash is seeded.
 */
class NameCount {
  private readonly bits = new Uint8Array(2 ** 19);
  private count = 0;

  /** Adds the name between two positions, and returns the number of different names. */
  add(text: string, start: number, end: number): number {
    let hash = nameSeed;
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
    hash ^= hash >>> 15;
    const bit = 1 << (hash & 7);
    const place = (hash >>> 3) & (this.bits.length - 1);
    const byte = this.bits[place] ?? 0;
    if ((byte & bit) === 0) {
      this.bits[place] = byte | bit;
      this.count++;
    }
    return this.count;
  }
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

function tooManyNames(limitBytes: number): HostError {
  return new HostError(
    'too-large',
    `A message has more than ${maxPropertyNames.toLocaleString('en')} property names.`,
    {
      data: { limitBytes, limitNames: maxPropertyNames },
    },
  );
}
