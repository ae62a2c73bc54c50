import { fitsWildcard } from '../base/wildcard.js';
import { patternDegree } from '../schema/patternCost.js';

/** Maximum length of a pattern, in UTF-16 units. */
const maxPatternLength = 500;
/** Maximum length of a text that a pattern is matched against, in UTF-16 units. */
const maxWildcardText = 20_000;
const maxRegexText = 2_000;

/** Whether a text matches; undefined if this cannot be decided. The caller must then choose the safe case. */
export type TextTest = (text: string) => boolean | undefined;

/** Why a pattern cannot be used. */
export interface PatternProblem {
  problem: string;
}

/**
 * Compiles a pattern. `*` matches any text and `?` one character; everything else is literal. The time is linear in the
 * text for each star. For a path with plain or encoded `..` segments, the result of every pattern is undecided, because
 * the text does not show where the path leads.
 */
export function compileWildcard(pattern: string): TextTest | PatternProblem {
  if (pattern.length > maxPatternLength)
    return { problem: `a pattern can have at most ${maxPatternLength} characters` };
  if (!/[*?]/.test(pattern)) return (text) => text === pattern;
  if (pattern === '*') return () => true;
  const parts = pattern.includes('?') ? undefined : pattern.split('*');
  return (text) => {
    if (text.length > maxWildcardText) return undefined;
    const fits = parts ? fitsParts(parts, text) : fitsWildcard(pattern, text);
    return fits && mayClimb(text) ? undefined : fits;
  };
}

/**
 * Encoded dots, slashes and backslashes that may be decoded later: percent-encoded once or repeatedly, overlong, or in
 * the format of `escape`.
 */
const encodedStep = /%(?:25)*(?:2e|2f|5c|c0%(?:25)*a[ef]|c1%(?:25)*9c|u00(?:2e|2f|5c))/i;
/**
 * Matches a `..` segment. Some systems and programs ignore blanks, dots and the text after a semicolon at the end of a
 * segment.
 */
const climbingStep = /(?:^|[\\/])\s*\.\.[\s.]*(?:$|[\\/;:?#\0])/;

/** Invisible characters, and control characters, which URL parsers remove. */
const dropped = /[\p{Default_Ignorable_Code_Point}\p{Cc}]/gu;
/** Characters that look like a slash and that some systems convert to one. */
const slashLike = /[\u2044\u2215\u29f8\ufe68\u29f5]/g;
/** How many times percent-encoding is decoded. Deeper encodings of dots and slashes are found by `encodedStep`. */
const maxDecodings = 3;

/** Whether a text may have a `..` segment in any form that a server may interpret. */
function mayClimb(text: string): boolean {
  let form = text;
  for (let decodings = 0; ; decodings++) {
    if (climbs(form)) return true;
    const next = decodings < maxDecodings && form.includes('%') ? percentDecoded(form) : form;
    if (next === form) return false;
    form = next;
  }
}

function climbs(text: string): boolean {
  const plain = text.replace(dropped, '').normalize('NFKC').replace(dropped, '').replace(slashLike, '/');
  return [text, plain].some((form) => encodedStep.test(form) || climbingStep.test(form));
}

/**
 * Decodes percent-encoding. Bytes that are not UTF-8 become U+FFFD. Invisible characters are removed first, so that
 * they cannot split a code.
 */
function percentDecoded(text: string): string {
  return text
    .replace(dropped, '')
    .replace(/(?:%[0-9a-f]{2})+/gi, (codes) => Buffer.from(codes.replaceAll('%', ''), 'hex').toString('utf8'));
}

/**
 * Matches patterns without `?`: the first and the last part must match the ends of the text, and the other parts must
 * follow in order.
 */
function fitsParts(parts: readonly string[], text: string): boolean {
  const [start = ''] = parts;
  const end = parts.at(-1) ?? '';
  if (text.length < start.length + end.length || !text.startsWith(start) || !text.endsWith(end)) return false;
  let at = start.length;
  for (let i = 1; i < parts.length - 1; i++) {
    const part = parts[i] ?? '';
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return at <= text.length - end.length;
}

/**
 * Compiles a regular expression that must match the whole text. It is refused if the matching time could grow faster
 * than the square of the text's length, because the text is untrusted.
 */
export function compileRegex(source: string): TextTest | PatternProblem {
  if (source.length > maxPatternLength)
    return { problem: `a regular expression can have at most ${maxPatternLength} characters` };
  let test: RegExp;
  try {
    // Compiled alone first, so that the source cannot close the group that is added below.
    new RegExp(source, 'u');
    test = new RegExp(`^(?:${source})$`, 'su');
  } catch (error) {
    return { problem: `not a regular expression: ${error instanceof Error ? error.message : String(error)}` };
  }
  // The full pattern is anchored, so matching starts at one position only, even if the source is not anchored.
  if (patternDegree(`^${source.replace(/^\^/, '')}`) > 2)
    return { problem: 'this regular expression could take very long; use a simpler one, or a wildcard' };
  const start = literalStart(source);
  return (text) => (text.length > maxRegexText ? undefined : text.startsWith(start) && test.test(text));
}

/** The text that every match of a wildcard begins with. */
export function beginningOfWildcard(pattern: string): string {
  return /^[^*?]*/.exec(pattern)?.[0] ?? '';
}

/**
 * The text that every match of a regular expression begins with, if it is easy to determine. Most texts can be ruled
 * out by comparing it.
 */
export function literalStart(source: string): string {
  if (source.includes('|')) return '';
  const plain = /^[\w /-]*/.exec(source)?.[0] ?? '';
  return /^[*+?{]/.test(source.slice(plain.length)) ? plain.slice(0, -1) : plain;
}
