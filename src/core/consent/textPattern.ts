import { fitsWildcard } from '../base/wildcard.js';
import { patternDegree } from '../schema/patternCost.js';

/** Patterns longer than this are refused. */
const maxPatternLength = 500;
/** Longer texts are not looked through. */
const maxWildcardText = 20_000;
const maxRegexText = 2_000;

/** Whether a text fits; undefined where that cannot be told, and whoever asks has to take the safe side. */
export type TextTest = (text: string) => boolean | undefined;

/** Why a pattern cannot be used. */
export interface PatternProblem {
  problem: string;
}

/**
 * `*` for any text and `?` for one character; everything else is meant as it stands. Takes time linear in the text for
 * each star. A path that may climb (`..`, also in an encoded form) fits no pattern for sure: where it leads, the text alone does
 * not say.
 */
export function compileWildcard(pattern: string): TextTest | PatternProblem {
  if (pattern.length > maxPatternLength)
    return { problem: `a pattern may have ${maxPatternLength} characters at most` };
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
 * Dots, slashes and backslashes that are decoded later: percent-encoded once or often, overlong, or in the form of
 * `escape`.
 */
const encodedStep = /%(?:25)*(?:2e|2f|5c|c0%(?:25)*a[ef]|c1%(?:25)*9c|u00(?:2e|2f|5c))/i;
/** Systems and programs drop blanks, dots and what follows a semicolon at the end of a segment. */
const climbingStep = /(?:^|[\\/])\s*\.\.[\s.]*(?:$|[\\/;:?#\0])/;

/** Characters that are drawn as nothing, and control characters, which parsers of addresses drop. */
const dropped = /[\p{Default_Ignorable_Code_Point}\p{Cc}]/gu;
/** Characters that look like a slash and that some systems replace by one. */
const slashLike = /[\u2044\u2215\u29f8\ufe68\u29f5]/g;
/** How often percent-encoding is decoded. Deeper encodings of dots and slashes are found as they are written. */
const maxDecodings = 3;

/** Whether a text may have a `..` segment in any form that a server may read it in. */
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

/** Bytes that are no UTF-8 become U+FFFD. What is drawn as nothing is dropped first, so that it cannot part a code. */
function percentDecoded(text: string): string {
  return text
    .replace(dropped, '')
    .replace(/(?:%[0-9a-f]{2})+/gi, (codes) => Buffer.from(codes.replaceAll('%', ''), 'hex').toString('utf8'));
}

/** With stars alone: the ends stand at the ends, and what is between follows in order. */
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
 * A regular expression that has to fit the whole text. Refused where its time could grow faster than the square of the
 * text's length, because the text comes from whoever wants the call.
 */
export function compileRegex(source: string): TextTest | PatternProblem {
  if (source.length > maxPatternLength)
    return { problem: `a regular expression may have ${maxPatternLength} characters at most` };
  let test: RegExp;
  try {
    // Alone first, so that it cannot close our group.
    new RegExp(source, 'u');
    test = new RegExp(`^(?:${source})$`, 'su');
  } catch (error) {
    return { problem: `no regular expression: ${error instanceof Error ? error.message : String(error)}` };
  }
  // Anchored by us, so an unanchored source starts at one position only.
  if (patternDegree(`^${source.replace(/^\^/, '')}`) > 2)
    return { problem: 'this regular expression could take very long; use a simpler one, or a wildcard' };
  const start = literalStart(source);
  return (text) => (text.length > maxRegexText ? undefined : text.startsWith(start) && test.test(text));
}

/** The text that everything which fits a wildcard begins with. */
export function beginningOfWildcard(pattern: string): string {
  return /^[^*?]*/.exec(pattern)?.[0] ?? '';
}

/** The text that everything which fits begins with, as far as that is plain to see: most texts fail there. */
export function literalStart(source: string): string {
  if (source.includes('|')) return '';
  const plain = /^[\w /-]*/.exec(source)?.[0] ?? '';
  return /^[*+?{]/.test(source.slice(plain.length)) ? plain.slice(0, -1) : plain;
}
