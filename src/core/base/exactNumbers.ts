/**
 * JSON parsing that keeps every digit of numbers (RFC 8259, section 6, leaves the precision to implementations). A
 * double holds about 16 digits: an ID such as 9007199254740993 would silently change. The values are those of
 * `JSON.parse`. The literals of numbers that a double cannot represent are stored in the objects and lists that contain
 * these numbers.
 */

/**
 * The literals of one object: a pair of name and literal in the common case of one literal, otherwise a map by name.
 */
type Named = { key: string; literal: string } | Map<string, string>;
/** The literals of one list, by index. */
type Literals = Named | (string | undefined)[];

class Itself {
  constructor(container: object) {
    return container;
  }
}

/**
 * Stores literals in the object or list itself, in a private field: it is not visible in the names or JSON of the
 * object, and is freed with it. With a `WeakMap` of ten thousand entries, garbage collection takes several times as
 * long.
 */
class Marked extends Itself {
  /** Whether a literal was ever stored. Most sessions store none, and then `holdsLiterals` costs nothing. */
  static isUsed = false;
  #literals: Literals;

  private constructor(container: object, literals: Literals) {
    super(container);
    this.#literals = literals;
  }

  static literalsOf(container: object): Literals | undefined {
    return #literals in container ? container.#literals : undefined;
  }

  static mark(container: object, literals: Literals): void {
    Marked.isUsed = true;
    if (#literals in container) container.#literals = literals;
    else new Marked(container, literals);
  }
}

/** A number that a double cannot represent, as its literal. */
export class ExactNumber {
  constructor(readonly literal: string) {}
}

/**
 * Maximum length of the literal of a number that a double cannot represent, in characters. A longer one would be a text
 * that no limit of texts applies to.
 */
const maxLiteral = 1_000;

/**
 * Like `JSON.parse`, but keeps the literals of numbers that a double cannot represent. Throws SyntaxError, also for a
 * literal that is longer than `maxLiteral`. Linear in the text.
 */
export function parseExact(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (typeof value === 'object' && value !== null && mayHoldInexact(text)) new Scan(text, value).run();
  return value;
}

/**
 * Whether a text has a run of 16 digits and decimal points, or an exponent of three digits. A double can represent all
 * other numbers. Checks only every third character, because every run of three digits contains such a character.
 */
function mayHoldInexact(text: string): boolean {
  const { length } = text;
  for (let at = 2; at < length; at += 3) {
    const code = text.charCodeAt(at);
    if (code < 46 || code > 57 || code === 47) continue;
    let start = at;
    while (start > 0 && isDigitOrPoint(text.charCodeAt(start - 1))) start--;
    let end = at + 1;
    while (end < length && isDigitOrPoint(text.charCodeAt(end))) end++;
    if (end - start >= 16) return true;
    if (end - start >= 3 && isExponentBefore(text, start)) return true;
    // Skips the rest of this run of digits.
    if (end > at + 3) at = end - 1 - ((end - 1 - at) % 3);
  }
  return false;
}

function isDigitOrPoint(code: number): boolean {
  return (code >= 48 && code <= 57) || code === 46;
}

function isExponentBefore(text: string, start: number): boolean {
  const sign = text.charCodeAt(start - 1);
  const e = sign === 43 || sign === 45 ? start - 2 : start - 1;
  return e > 0 && (text.charCodeAt(e) | 32) === 101 && isDigitOrPoint(text.charCodeAt(e - 1));
}

/**
 * Whether a JSON value contains a number that a double cannot represent. Linear in the objects and lists; any depth.
 */
export function holdsLiterals(value: unknown): boolean {
  if (!Marked.isUsed) return false;
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next !== 'object' || next === null) continue;
    if (next instanceof ExactNumber || Marked.literalsOf(next) !== undefined) return true;
    for (const inner of Array.isArray(next) ? (next as unknown[]) : Object.values(next))
      if (typeof inner === 'object' && inner !== null) waiting.push(inner);
  }
  return false;
}

/** Approximate memory of the literals of one object or list: for all of them together, and for each one, bytes. */
const literalsCost = 128;
const literalCost = 96;

/** The approximate memory of the literals that are stored in an object or list, without those inside of it, bytes. */
export function costOfLiterals(container: object): number {
  const known = Marked.isUsed ? Marked.literalsOf(container) : undefined;
  if (known === undefined) return 0;
  let cost = literalsCost;
  const literals = known instanceof Map || Array.isArray(known) ? known.values() : [known.literal];
  for (const literal of literals) if (literal !== undefined) cost += literalCost + literal.length;
  return cost;
}

/** The literal of a number in an object or list, if a double cannot represent the number. */
export function literalAt(container: object, key: string | number): string | undefined {
  const known = Marked.literalsOf(container);
  if (known === undefined) return undefined;
  if (Array.isArray(known)) return known[Number(key)];
  if (known instanceof Map) return known.get(String(key));
  return known.key === String(key) ? known.literal : undefined;
}

/** The value at a key or index. A number that a double cannot represent is returned as an `ExactNumber`. */
export function exactAt(container: object, key: string | number): unknown {
  const literal = literalAt(container, key);
  return literal === undefined ? (container as Record<string | number, unknown>)[key] : new ExactNumber(literal);
}

interface Open {
  /**
   * The open object or list, looked up on first use. Null if the parsed value does not contain this object or list,
   * because a later property has the same name.
   */
  container: object | null | undefined;
  isList: boolean;
  index: number;
  /** Start and end of the last name, including its quotes. */
  keyStart: number;
  keyEnd: number;
  hasLiterals: boolean;
}

/** One pass over a text that is known to be valid JSON. It only tracks where numbers are. */
class Scan {
  private readonly stack: Open[] = [];
  /**
   * The names of each object in order, read when its second literal is stored. A text can open the same parsed object
   * many times, because `JSON.parse` keeps the last one of several members with the same name.
   */
  private readonly names = new Map<object, string[]>();

  constructor(
    private readonly text: string,
    private readonly root: object,
  ) {}

  run(): void {
    const { text, stack } = this;
    let top: Open | undefined;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === 34) {
        const end = endOfString(text, at);
        // Kept for every string, because only a colon after it shows that it is a name.
        if (top) {
          top.keyStart = at;
          top.keyEnd = end + 1;
        }
        at = end;
        if (top && !top.isList) at = this.skipValueString(at);
      } else if (code === 123 || code === 91) {
        top = {
          container: undefined,
          isList: code === 91,
          index: 0,
          keyStart: 0,
          keyEnd: 0,
          hasLiterals: false,
        };
        stack.push(top);
      } else if (code === 125 || code === 93) {
        stack.pop();
        top = stack[stack.length - 1];
      } else if (code === 44) {
        if (top) top.index++;
      } else if (code === 45 || (code >= 48 && code <= 57)) {
        const end = endOfNumber(text, at);
        if (top) this.number(top, at, end);
        at = end - 1;
      }
    }
  }

  /** Skips a string value after a name, so that the scan does not mistake it for a name. */
  private skipValueString(end: number): number {
    const { text } = this;
    let at = skipSpace(text, end + 1);
    if (text.charCodeAt(at) !== 58) return end;
    at = skipSpace(text, at + 1);
    return text.charCodeAt(at) === 34 ? endOfString(text, at) : at - 1;
  }

  private number(top: Open, start: number, end: number): void {
    const isLong = end - start >= 16;
    if (!isLong && !top.hasLiterals && !hasExponent(this.text, start, end)) return;
    if (end - start > maxLiteral) throw new SyntaxError(`A number has more than ${maxLiteral} characters.`);
    const literal = this.text.slice(start, end);
    const value = Number(literal);
    if (isExact(literal, value)) {
      // An earlier property of the same name may have stored a literal, which no longer applies.
      if (top.hasLiterals && !top.isList) this.forget(top);
      return;
    }
    const container = this.innermost();
    if (!container) return;
    const key = top.isList ? top.index : this.nameOf(top, container);
    // If a name is repeated, `JSON.parse` keeps the last value, so compare the numbers. No object inherits a number, so
    // the value is an own property.
    if ((container as Record<string | number, unknown>)[key] === value) remember(top, container, key, literal);
  }

  private forget(top: Open): void {
    const known = top.container && Marked.literalsOf(top.container);
    if (!top.container || !known || Array.isArray(known)) return;
    const key = this.keyOf(top);
    if (known instanceof Map) known.delete(key);
    else if (known.key === key) Marked.mark(top.container, new Map());
  }

  /** The innermost open object or list. Each is looked up once, so the cost is linear and any depth is possible. */
  private innermost(): object | undefined {
    const { stack } = this;
    let depth = stack.length;
    while (depth > 0 && stack[depth - 1]?.container === undefined) depth--;
    for (; depth < stack.length; depth++) {
      const open = stack[depth];
      if (open) open.container = this.find(open, stack[depth - 1]);
    }
    return stack.at(-1)?.container ?? undefined;
  }

  private find({ isList }: Open, above: Open | undefined): object | null {
    const found = above ? above.container && this.childOf(above, above.container) : this.root;
    return typeof found === 'object' && found !== null && Array.isArray(found) === isList ? found : null;
  }

  private childOf(open: Open, container: object): unknown {
    if (open.isList) return (container as unknown[])[open.index];
    const key = this.keyOf(open);
    return Object.hasOwn(container, key) ? (container as Record<string, unknown>)[key] : undefined;
  }

  /**
   * Like `keyOf`. In an object with many literals, it usually returns the existing string, so that V8 does not hash the
   * name again.
   */
  private nameOf(open: Open, container: object): string {
    if (open.hasLiterals) {
      let names = this.names.get(container);
      if (names === undefined) this.names.set(container, (names = Object.keys(container)));
      const name = names[open.index];
      if (
        name?.length === open.keyEnd - open.keyStart - 2 &&
        !name.includes('\\') &&
        this.text.startsWith(name, open.keyStart + 1)
      )
        return name;
    }
    return this.keyOf(open);
  }

  private keyOf({ keyStart, keyEnd }: Open): string {
    const quoted = this.text.slice(keyStart, keyEnd);
    return quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
  }
}

function remember(open: Open, container: object, key: string | number, literal: string): void {
  open.hasLiterals = true;
  const known = Marked.literalsOf(container);
  const copy = copyOf(literal);
  if (typeof key === 'number') {
    if (Array.isArray(known)) known[key] = copy;
    else {
      const literals: (string | undefined)[] = [];
      literals[key] = copy;
      Marked.mark(container, literals);
    }
  } else if (known instanceof Map) known.set(key, copy);
  else if (known === undefined || Array.isArray(known) || known.key === key)
    Marked.mark(container, { key, literal: copy });
  else
    Marked.mark(
      container,
      new Map([
        [known.key, known.literal],
        [key, copy],
      ]),
    );
}

/** A copy of the literal. A substring would keep the whole text in memory. V8 copies when it joins two short halves. */
function copyOf(literal: string): string {
  if (literal.length > 24) return JSON.parse(`"${literal}"`) as string;
  return literal.slice(0, 12) + literal.slice(12);
}

function skipSpace(text: string, from: number): number {
  let at = from;
  for (
    let code = text.charCodeAt(at);
    code === 32 || code === 10 || code === 13 || code === 9;
    code = text.charCodeAt(at)
  )
    at++;
  return at;
}

function endOfNumber(text: string, start: number): number {
  let at = start + 1;
  for (
    let code = text.charCodeAt(at);
    (code >= 48 && code <= 57) || code === 46 || code === 69 || code === 101 || code === 43 || code === 45;
    code = text.charCodeAt(at)
  )
    at++;
  return at;
}

function hasExponent(text: string, start: number, end: number): boolean {
  for (let at = start + 1; at < end; at++) if ((text.charCodeAt(at) | 32) === 101) return true;
  return false;
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; ; at++) {
    const quote = text.indexOf('"', at);
    if (quote === -1) return text.length;
    let slashes = 0;
    while (text.charCodeAt(quote - 1 - slashes) === 92) slashes++;
    if (slashes % 2 === 0) return quote;
    at = quote;
  }
}

/** A decimal number without an exponent and without a trailing zero in its fraction. */
const writtenOut = /^-?\d+(?:\.\d*[1-9])?$/;

/** Whether the shortest text of the double denotes the same decimal number as the literal. */
function isExact(literal: string, value: number): boolean {
  if (!Number.isFinite(value)) return false;
  const shortest = String(value);
  if (shortest === literal) return true;
  // Without an exponent and without trailing zeros in the fraction, each number has only one spelling.
  if (writtenOut.test(literal) && literal !== '-0' && !shortest.includes('e')) return false;
  return decimalOf(literal) === decimalOf(shortest);
}

/**
 * The normal form of a decimal number: sign, digits without zeros at either end, and the power of ten of the last
 * digit.
 */
function decimalOf(literal: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal) ?? [];
  const digits = whole + fraction;
  let end = digits.length;
  while (end > 0 && digits.charCodeAt(end - 1) === 48) end--;
  let start = 0;
  while (start < end && digits.charCodeAt(start) === 48) start++;
  if (start === end) return '0';
  return `${sign}${digits.slice(start, end)}e${Number(exponent) - fraction.length + digits.length - end}`;
}
