/**
 * Percent-encoded dots, slashes and backslashes. Programs differ in whether they decode them, so a text that contains
 * one counts as a possible climb.
 */
const encodedStep = /%(?:2e|2f|5c)/i;
/** The format of the function `escape`. It is not valid percent-encoding, so programs decode it differently. */
const escapeFormat = /%u(?:[0-9a-f]{4}|\{)/i;
/** Systems and programs ignore blanks, dots and the text after a semicolon at the end of a segment. */
const climbingStep = /(?:^|[\\/])\s*\.\.[\s.]*(?:$|[\\/;:?#\0])/;
const encodedBytes = /(?:%[0-9a-f]{2})+/gi;

/** Invisible characters, and control characters, which URL parsers remove. */
const dropped = /[\p{Default_Ignorable_Code_Point}\p{Cc}]/gu;
/** Characters that look like a slash and that some systems convert to one. */
const slashLike = /[\u2044\u2215\u29f8\ufe68\u29f5]/g;
/** How many times percent-encoding is decoded. A text that is encoded more often may mean anything. */
const maxDecodings = 3;

/**
 * Whether a program that decodes this text in any way may read a `..` segment, or a separator that is not visible in
 * the text. This includes every text with percent-encoded bytes that are not UTF-8, such as the overlong `%c0%ae`:
 * programs decode these differently. The time is linear in the length of the text.
 */
export function mayClimb(text: string): boolean {
  let form = text;
  for (let decodings = 0; decodings <= maxDecodings; decodings++) {
    const shown = asShown(form);
    if (hasStep(form) || hasStep(shown)) return true;
    const next = percentDecoded(shown);
    if (next === undefined) return true;
    if (next === shown) return false;
    form = next;
  }
  return true;
}

function hasStep(text: string): boolean {
  return encodedStep.test(text) || escapeFormat.test(text) || climbingStep.test(text);
}

/** The text after the conversions that systems apply to names: without invisible characters, compatible forms joined. */
function asShown(text: string): string {
  return text.replace(dropped, '').normalize('NFKC').replace(dropped, '').replace(slashLike, '/');
}

/** Undefined if encoded bytes are not valid UTF-8. */
function percentDecoded(text: string): string | undefined {
  try {
    return text.replace(encodedBytes, decodeURIComponent);
  } catch {
    return undefined;
  }
}
