/**
 * URI templates, RFC 6570 up to level 4, as in `resources/templates/list`. Malformed expressions are kept as literal
 * text, so that an untrusted template is harmless and its text stays visible.
 */

import { HostError } from '../base/hostError.js';

/** Values of the variables; absent ones leave their expression empty. */
export type TemplateValues = Readonly<
  Record<string, string | readonly string[] | Readonly<Record<string, string>> | undefined>
>;

interface Variable {
  name: string;
  /** `:n`: only the first n characters. */
  prefix?: number;
  /** `*`: lists and maps are expanded into separate parts. */
  isExploded: boolean;
}

interface Expression {
  operator: string;
  variables: Variable[];
}

interface OperatorRule {
  first: string;
  separator: string;
  /** `name=value` instead of `value`. */
  isNamed: boolean;
  /** The text that follows the name if the value is empty. */
  ifEmpty: string;
  allowsReserved: boolean;
}

/** RFC 6570 appendix A. */
const rules: Readonly<Record<string, OperatorRule>> = {
  '': { first: '', separator: ',', isNamed: false, ifEmpty: '', allowsReserved: false },
  '+': { first: '', separator: ',', isNamed: false, ifEmpty: '', allowsReserved: true },
  '#': { first: '#', separator: ',', isNamed: false, ifEmpty: '', allowsReserved: true },
  '.': { first: '.', separator: '.', isNamed: false, ifEmpty: '', allowsReserved: false },
  '/': { first: '/', separator: '/', isNamed: false, ifEmpty: '', allowsReserved: false },
  ';': { first: ';', separator: ';', isNamed: true, ifEmpty: '', allowsReserved: false },
  '?': { first: '?', separator: '&', isNamed: true, ifEmpty: '=', allowsReserved: false },
  '&': { first: '&', separator: '&', isNamed: true, ifEmpty: '=', allowsReserved: false },
};

/** An expression of a template: its operator and its variables. It is valid only if `isExpression` accepts it. */
export const expressionPattern = /\{([+#./;?&]?)([^{}]{1,1000})\}/g;
const variablePattern =
  /^((?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})(?:[A-Za-z0-9_.]|%[0-9A-Fa-f]{2})*)(?::([1-9][0-9]{0,3})|(\*))?$/;

function parseExpression(operator: string, body: string): Expression | undefined {
  const variables: Variable[] = [];
  for (const part of body.split(',')) {
    const match = variablePattern.exec(part);
    if (!match) return undefined;
    const [, name = '', prefix, star] = match;
    variables.push({
      name,
      ...(prefix === undefined ? {} : { prefix: Number(prefix) }),
      isExploded: star !== undefined,
    });
  }
  return { operator, variables };
}

/** Whether the text between braces is a valid expression. */
export function isExpression(operator: string, body: string): boolean {
  return parseExpression(operator, body) !== undefined;
}

/** The properties of a template's variable that a form needs. */
export interface TemplateVariable {
  name: string;
  /**
   * True if at least one expression inserts only the value of this variable, so a missing value would leave a gap in
   * the URI. Expressions with other operators disappear completely when the value is missing.
   */
  isExpected: boolean;
  /** True if each entry of a list or a map becomes a separate part in every expression. */
  isExploded: boolean;
  /**
   * The maximum number of characters to which every expression truncates the value; absent if at least one expression
   * uses the whole value.
   */
  maxLength?: number;
}

/** All variables, each once, in order of appearance. */
export function templateVariables(template: string): TemplateVariable[] {
  const found = new Map<string, TemplateVariable>();
  for (const [, operator = '', body = ''] of template.matchAll(expressionPattern)) {
    for (const { name, prefix, isExploded } of parseExpression(operator, body)?.variables ?? []) {
      const before = found.get(name);
      const isExpected = operator === '' || operator === '+' || before?.isExpected === true;
      const maxLength =
        before === undefined
          ? prefix
          : before.maxLength === undefined || prefix === undefined
            ? undefined
            : Math.max(before.maxLength, prefix);
      found.set(name, {
        name,
        isExpected,
        isExploded: isExploded && before?.isExploded !== false,
        ...(maxLength === undefined ? {} : { maxLength }),
      });
    }
  }
  return [...found.values()];
}

/** The texts in braces that are not valid expressions and stay in the URI unchanged. */
export function malformedExpressions(template: string): string[] {
  return [...template.matchAll(/\{[^{}]{0,1000}\}/g)]
    .map(([whole]) => whole)
    .filter(
      (whole) =>
        whole.replace(expressionPattern, (_, operator: string, body: string) =>
          parseExpression(operator, body) ? '' : 'x',
        ) !== '',
    );
}

/** Maximum length of an expansion, in UTF-16 code units: a short template can name a long value many times. */
const maxExpansion = 1_000_000;

/**
 * Replaces the expressions of a template with values. Throws HostError `invalid-arguments` above 1,000,000 characters.
 */
export function expandTemplate(template: string, values: TemplateValues): string {
  let length = template.length;
  const count = (added: number): void => {
    length += added;
    if (length > maxExpansion) throw tooLong();
  };
  count(0);
  return template.replace(expressionPattern, (whole, operator: string, body: string) => {
    const expression = parseExpression(operator, body);
    return expression ? expand(expression, values, count) : whole;
  });
}

function expand({ operator, variables }: Expression, values: TemplateValues, count: (added: number) => void): string {
  const rule = rules[operator] as OperatorRule;
  const encodeText = rule.allowsReserved ? encodeReserved : encodeUnreserved;
  const encode = (text: string): string => {
    const encoded = encodeText(text);
    // Counts the name and the separator as well, because a list of empty values can also be long.
    count(encoded.length + longestName + 2);
    return encoded;
  };
  const pair = (name: string, value: string) => (value === '' ? `${name}${rule.ifEmpty}` : `${name}=${value}`);
  const parts: string[] = [];
  const longestName = Math.max(...variables.map(({ name }) => name.length));
  for (const { name, prefix, isExploded } of variables) {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined) continue;
    if (typeof value === 'string') {
      const text = encode(prefix === undefined ? value : [...value].slice(0, prefix).join(''));
      parts.push(rule.isNamed ? pair(name, text) : text);
      continue;
    }
    const entries: [string, string][] = isList(value)
      ? value.map((item) => [name, encode(item)])
      : Object.entries(value).map(([key, item]) => [encode(key), encode(item)]);
    if (entries.length === 0) continue;
    if (isExploded) {
      for (const [key, text] of entries)
        parts.push(isList(value) && !rule.isNamed ? text : rule.isNamed ? pair(key, text) : `${key}=${text}`);
      continue;
    }
    const joined = (isList(value) ? entries.map(([, text]) => text) : entries.flat()).join(',');
    parts.push(rule.isNamed ? pair(name, joined) : joined);
  }
  return parts.length === 0 ? '' : rule.first + parts.join(rule.separator);
}

function tooLong(): HostError {
  return new HostError(
    'invalid-arguments',
    `The URI from this template would be longer than the limit of ${maxExpansion} characters.`,
    { hint: 'Enter shorter values.' },
  );
}

function isList(value: readonly string[] | Readonly<Record<string, string>>): value is readonly string[] {
  return Array.isArray(value);
}

/** Percent-encodes everything but letters, digits and -._~. Unpaired surrogates become U+FFFD, as in URLs. */
function encodeUnreserved(text: string): string {
  return encodeURIComponent(wellFormed(text)).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Percent-encodes all characters except unreserved ones, reserved ones, and existing percent escapes. */
function encodeReserved(text: string): string {
  return wellFormed(text).replace(/%[0-9A-Fa-f]{2}|[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]+|[^]/gu, (part) =>
    /^%[0-9A-Fa-f]{2}$|^[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]/.test(part) ? part : encodeURIComponent(part),
  );
}

function wellFormed(text: string): string {
  return text.replace(/[\ud800-\udfff]/gu, '\ufffd');
}
