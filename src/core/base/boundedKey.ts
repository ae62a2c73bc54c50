import { createHash } from 'node:crypto';

/** Maximum length of a key that is kept unchanged, in UTF-16 code units. */
const maxKeyLength = 300;

/**
 * A key of limited length for a text of any length, such as a name or URI of a server. For a long text, the key is a
 * digest.
 */
export function boundedKey(text: string): string {
  // In UTF-8, all unpaired surrogates would become the same character.
  return text.length <= maxKeyLength ? text : createHash('sha256').update(text, 'utf16le').digest('base64');
}
