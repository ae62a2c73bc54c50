/**
 * Parses JSON with comments and trailing commas into the tree format of jsonc-parser. While VS Code starts, before the
 * JavaScript engine has compiled the code, this parser is several times faster than jsonc-parser. It accepts only
 * well-formed text. All other text is left to jsonc-parser, which reports the error and its position.
 */
import type { Node } from 'jsonc-parser';

/** Maximum nesting depth; deeper text is left to jsonc-parser. */
const maxReadDepth = 90;

const space = /[ \t\r\n]+/y;
/**
 * Match a colon with the whitespace after it, or a comma with the whitespace around it, if no comment follows. Each
 * pattern is one regular expression, because every operation is slow before the code is compiled, and almost no file
 * has a comment there.
 */
const colon = /:[ \t\r\n]*(?![/ \t\r\n])/y;
const comma = /[ \t\r\n]*,[ \t\r\n]*(?![/ \t\r\n])/y;
const restOfLine = /[^\r\n]*/y;
const text = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*"/y;
const literal = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])|true(?!\w)|false(?!\w)|null(?!\w)/y;

/** Returns the tree; undefined if the text is not one well-formed value, or is nested too deeply. */
export function readWellFormed(source: string): Node | undefined {
  const reader = new Reader(source);
  try {
    return reader.document();
  } catch {
    // The text is not well-formed or is nested too deeply, or a regular expression exceeded its limits on a large text.
    return undefined;
  }
}

const unknown = new Error('not well-formed');

class Reader {
  private at = 0;

  constructor(private readonly source: string) {}

  document(): Node {
    this.skip();
    const root = this.value(0);
    this.skip();
    if (this.at !== this.source.length) throw unknown;
    return root;
  }

  private value(depth: number): Node {
    const { source, at } = this;
    switch (source.charCodeAt(at)) {
      case 123:
        return this.object(depth);
      case 91:
        return this.array(depth);
      case 34:
        return this.string();
      default:
        return this.literal();
    }
  }

  private object(depth: number): Node {
    if (depth > maxReadDepth) throw unknown;
    const children: Node[] = [];
    const node = { type: 'object' as const, offset: this.at++, length: 0, children };
    this.skip();
    while (this.source.charCodeAt(this.at) !== 125) {
      if (this.source.charCodeAt(this.at) !== 34) throw unknown;
      const key = this.string();
      const colonOffset = this.colon();
      const value = this.value(depth + 1);
      const property: Node = {
        type: 'property',
        offset: key.offset,
        length: this.at - key.offset,
        colonOffset,
        parent: node,
        children: [key, value],
      };
      (key as { parent?: Node }).parent = property;
      (value as { parent?: Node }).parent = property;
      children.push(property);
      this.separate(125);
    }
    return this.closed(node);
  }

  private array(depth: number): Node {
    if (depth > maxReadDepth) throw unknown;
    const children: Node[] = [];
    const node = { type: 'array' as const, offset: this.at++, length: 0, children };
    this.skip();
    while (this.source.charCodeAt(this.at) !== 93) {
      const value = this.value(depth + 1);
      (value as { parent?: Node }).parent = node;
      children.push(value);
      this.separate(93);
    }
    return this.closed(node);
  }

  private string(): Node {
    const offset = this.at;
    const length = this.match(text);
    const inner = this.source.slice(offset + 1, offset + length - 1);
    return {
      type: 'string',
      offset,
      length,
      value: inner.includes('\\') ? (JSON.parse(`"${inner}"`) as string) : inner,
    };
  }

  private literal(): Node {
    const offset = this.at;
    const length = this.match(literal);
    const value = JSON.parse(this.source.slice(offset, offset + length)) as number | boolean | null;
    return { type: value === null ? 'null' : typeof value === 'number' ? 'number' : 'boolean', offset, length, value };
  }

  private closed(node: { type: 'object' | 'array'; offset: number; length: number; children: Node[] }): Node {
    this.at++;
    node.length = this.at - node.offset;
    return node;
  }

  /** Skips a colon and returns its offset. */
  private colon(): number {
    // The common case, in which the colon directly follows the key.
    const offset = this.at;
    if (this.source.charCodeAt(offset) === 58 && this.goPast(colon)) return offset;
    this.skip();
    const later = this.at;
    this.take(58);
    return later;
  }

  /** Skips a comma, which may be a trailing one, or stops before the closing bracket. */
  private separate(end: number): void {
    if (this.goPast(comma)) return;
    this.skip();
    if (this.source.charCodeAt(this.at) !== end) this.take(44);
  }

  private take(code: number): void {
    if (this.source.charCodeAt(this.at) !== code) throw unknown;
    this.at++;
    this.skip();
  }

  private skip(): void {
    for (;;) {
      const code = this.source.charCodeAt(this.at);
      if (code === 32 || code === 10 || code === 13 || code === 9) this.match(space);
      else if (code === 47) this.comment();
      else return;
    }
  }

  private comment(): void {
    const second = this.source[this.at + 1];
    if (second === '/') {
      this.match(restOfLine);
      return;
    }
    const end = second === '*' ? this.source.indexOf('*/', this.at + 2) : -1;
    if (end < 0) throw unknown;
    this.at = end + 2;
  }

  /** Skips a match of `pattern`. Returns false and does not move if there is none. */
  private goPast(pattern: RegExp): boolean {
    pattern.lastIndex = this.at;
    if (!pattern.test(this.source)) return false;
    this.at = pattern.lastIndex;
    return true;
  }

  private match(pattern: RegExp): number {
    pattern.lastIndex = this.at;
    if (!pattern.test(this.source)) throw unknown;
    const length = pattern.lastIndex - this.at;
    this.at = pattern.lastIndex;
    return length;
  }
}
