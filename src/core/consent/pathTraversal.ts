import { hasLongRun } from '../base/composed.js';

/**
 * Dots, slashes and backslashes with percent-encoding, or with escapes of JSON or HTML. Some programs decode them, so a text that contains one may contain a
 * `..` segment.
 */
const encodedSegment = /%(?:2e|2f|5c)|\\(?:x|u00)(?:2e|2f|5c)|&#(?:x(?:2e|2f|5c)|4[67]|92);?/i;
/** The format of the function `escape`. It is not valid percent-encoding, so programs decode it differently. */
const escapeFormat = /%u(?:[0-9a-f]{4}|\{)/i;
/**
 * A segment `..`, with the additions that systems and programs ignore: blanks, more dots, and what follows `;`, `:`,
 * `?`, `#` or NUL. A shell also removes quotes and escapes between the dots.
 */
const parentSegment = /(?:^|[\\/])\s*\.["'`^\\]{0,4}\.[\s.]*(?:$|[\\/;:?#\0"'`])/;
const encodedBytes = /(?:%[0-9a-f]{2})+/gi;

/** Invisible characters, and control characters, which URL parsers remove. */
const dropped = /[\p{Default_Ignorable_Code_Point}\p{Cc}]/gu;
/** Characters that look like a slash or a backslash, or are in its place in a code page, and that systems convert. */
const slashLike = /[\u2044\u2215\u2216\u29f8\ufe68\u29f5\u00a5\u20a9]/g;
/** Maximum number of decodings. A text with more levels of percent-encoding counts as a traversal. */
const maxDecodings = 3;

/**
 * Whether a program that decodes this text may obtain a `..` segment, or a path separator that the text does not show.
 * This includes every text with percent-encoded bytes that are not UTF-8, such as the overlong `%c0%ae`: programs
 * decode these differently. The time is linear in the length of the text.
 */
export function mayTraversePath(text: string): boolean {
  let form = text;
  for (let decodings = 0; decodings <= maxDecodings; decodings++) {
    const plain = form.replace(dropped, '');
    // No language needs such a text, and normalizing it takes quadratic time.
    if (hasLongRun(plain)) return true;
    const shown = asShown(plain);
    if (hasParentSegment(form) || hasParentSegment(shown)) return true;
    const next = percentDecoded(shown);
    if (next === undefined) return true;
    if (next === shown) return false;
    form = next;
  }
  return true;
}

function hasParentSegment(text: string): boolean {
  return encodedSegment.test(text) || escapeFormat.test(text) || parentSegment.test(text);
}

/**
 * The text after the conversions that systems apply to names: compatibility characters are normalized (NFKC), invisible
 * characters are removed, and characters that look like a slash become one.
 */
function asShown(text: string): string {
  return text.normalize('NFKC').replace(dropped, '').replace(slashLike, '/');
}

/** The text with percent-encoding decoded once; undefined if the encoded bytes are not valid UTF-8. */
function percentDecoded(text: string): string | undefined {
  try {
    return text.replace(encodedBytes, decodeURIComponent);
  } catch {
    return undefined;
  }
}
