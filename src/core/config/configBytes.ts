/** Configuration files as bytes: the size limit, and the position of the first invalid byte. */
import { isUtf8 } from 'node:buffer';
import type { SourcePosition } from './serverDefinition.js';

/** Size limit of a configuration file, bytes of UTF-8. Larger files are not read. */
export const maxConfigBytes = 5 * 1024 * 1024;

/**
 * Maximum length of the entry of a server or of an input, in characters of its text. It is more than a command line of
 * Windows can have.
 */
export const maxEntryLength = 256 * 1024;
/**
 * Memory limit of the values of an entry that MCP Deck keeps but does not read, bytes (see `valueCost`). The limit of
 * the length alone allows many times as much.
 */
export const maxKeptCost = 2 * 1024 * 1024;
/** Maximum number of servers in one file, and also of inputs. */
export const maxEntries = 2_000;

/**
 * Decodes a file. `invalid` is the position of the first byte that is not UTF-8. It is counted as editors count, in
 * UTF-16 code units from 0.
 */
export function decodeConfig(bytes: Uint8Array): { text: string; invalid?: SourcePosition } {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  const clean = text.startsWith('\ufeff') ? text.slice(1) : text;
  return isUtf8(bytes) ? { text: clean } : { text: clean, invalid: invalidAt(bytes) };
}

function invalidAt(bytes: Uint8Array): SourcePosition {
  // Bisects to find the longest valid prefix. Its last character may be incomplete.
  let good = 0;
  for (let bad = bytes.length; bad - good > 1;) {
    const middle = (good + bad) >> 1;
    if (isBeginning(bytes.subarray(0, middle))) good = middle;
    else bad = middle;
  }
  const before = new TextDecoder().decode(bytes.subarray(0, good), { stream: true }).split(/\r\n|\r|\n/);
  const line = before.length - 1;
  const character = before[line]?.length ?? 0;
  return { line, character, endLine: line, endCharacter: character + 1 };
}

/** Whether the bytes are valid UTF-8. The last character may be incomplete. */
function isBeginning(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
