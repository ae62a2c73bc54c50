/** Checks whether a URI can be an expansion of a URI template (RFC 6570), without determining the variables' values. */
import { expressionPattern, isExpression } from './uriTemplate.js';

/** Maximum length of templates and URIs, which servers choose, in UTF-16 code units. Longer ones never match. */
const maxLength = 8_192;

const anything = /^/;

/** The possible expansions of an expression, by its operator. Values are percent-encoded except after `+` and `#`. */
const expansions: Readonly<Record<string, RegExp>> = {
  '': /^[^/?#]*$/,
  '+': anything,
  '#': /^(?:#.*)?$/s,
  '.': /^(?:\.[^/?#]*)?$/,
  '/': /^(?:\/[^?#]*)?$/,
  ';': /^(?:;[^/?#]*)?$/,
  '?': /^(?:\?[^/#]*)?$/,
  '&': /^(?:&[^/#]*)?$/,
};

/** The text before the first expression. */
export function literalStart(template: string): string {
  return partsOf(template)[0]?.literal ?? '';
}

/**
 * Whether the URI can be an expansion of the template. Each literal part is matched at its first occurrence, except the
 * last one, which is matched at the end.
 */
export function fitsTemplate(template: string, uri: string): boolean {
  return templateMatcher(template)(uri);
}

/** Like `fitsTemplate`, for many URIs. Parses the template once. */
export function templateMatcher(template: string): (uri: string) => boolean {
  if (template.length > maxLength) return () => false;
  const parts = partsOf(template);
  return (uri) => uri.length <= maxLength && fitsParts(parts, uri);
}

function fitsParts(parts: readonly Part[], uri: string): boolean {
  let position = 0;
  let before: RegExp | undefined;
  for (const [index, { literal, next }] of parts.entries()) {
    const isLast = index === parts.length - 1;
    if (literal === '' && before && !isLast) {
      // The end of the first of two adjacent expressions cannot be determined.
      before = anything;
      continue;
    }
    const found =
      before === undefined ? position : isLast ? uri.length - literal.length : uri.indexOf(literal, position);
    if (found < position || !uri.startsWith(literal, found)) return false;
    if (before?.test(uri.slice(position, found)) === false) return false;
    position = found + literal.length;
    before = next;
  }
  return position === uri.length;
}

interface Part {
  literal: string;
  /** The possible expansions of the expression that follows the literal; absent after the last part. */
  next?: RegExp;
}

/** The literal parts, each with the expression that follows it. The last part has none. */
function partsOf(template: string): Part[] {
  const parts: Part[] = [];
  let literal = '';
  let end = 0;
  for (const { 0: whole, 1: operator = '', 2: body = '', index } of template.matchAll(expressionPattern)) {
    literal += template.slice(end, index);
    end = index + whole.length;
    if (isExpression(operator, body)) {
      const next = expansions[operator];
      parts.push({ literal, ...(next ? { next } : {}) });
      literal = '';
    } else literal += whole;
  }
  parts.push({ literal: literal + template.slice(end) });
  return parts;
}
