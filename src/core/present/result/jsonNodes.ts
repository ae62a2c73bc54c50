/**
 * Reads the beginning of a JSON text as a tree for a page. It reads as much as the limits allow, and reports the rest
 * as missing. The reader works on the text itself instead of parsing the text first. So numbers keep all digits, names
 * may be `__proto__` or duplicates, and a text of many megabytes takes no more time than a small one.
 */
import { countHidden, visibleLine, visibleText } from '../../base/hostileText.js';
import { isObject } from '../../base/guards.js';
import type { JsonEntry, JsonNode, JsonScalar } from '../../../shared/result/resultModel.js';
import { beginningOf, isSameJson, jsonPieces, parseJsonText } from '../text/jsonPieces.js';

export interface JsonNodeLimits {
  /** Maximum number of characters that are read; default 250,000. */
  maxLength?: number;
  /** Maximum number of nodes of the tree; default 4,000. */
  maxNodes?: number;
  /** Maximum depth; each deeper list or object becomes one node of the kind `cut`. Default 100. */
  maxDepth?: number;
  /** Maximum number of characters of one string that are shown; default 4,000. */
  maxStringLength?: number;
}

interface Open {
  node: { kind: 'object'; entries: JsonEntry[]; isCut?: true } | { kind: 'array'; items: JsonNode[]; isCut?: true };
  /** The name of the next value. */
  key?: { key: string; label?: string };
}

const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const space = /[ \t\n\r]*/y;
const maxLabelLength = 200;

export interface JsonReading {
  root: JsonNode;
  /** Whether `root` contains the whole text and not only its beginning. */
  isWhole: boolean;
  /** Number of nodes in the tree. */
  nodes: number;
  /** Number of hidden characters that were made visible. */
  hidden: number;
}

/** The tree of a JSON text; undefined if the part that was read is not JSON. */
export function jsonNodesOf(text: string, limits: JsonNodeLimits = {}): JsonReading | undefined {
  const reader = new Reader(text, limits);
  const read = reader.read();
  return read && { ...read, nodes: reader.nodes, hidden: reader.hidden };
}

/** Whether a text is a JSON object or array. Of a large text, only the beginning is read. */
export function isJsonText(text: string): boolean {
  return text.length <= exactLength
    ? parseJsonText(text) !== undefined
    : /^\s*[[{]/.test(text) && jsonNodesOf(text, { maxNodes: comparedNodes }) !== undefined;
}

/**
 * Whether the text is the JSON of the value; many servers send a value both as text and as structured content. Of large
 * values, only the beginnings are compared.
 */
export function isJsonOfValue(text: string, value: unknown): boolean {
  if (text.length <= exactLength) {
    const said = parseJsonText(text);
    return said
      ? isSameJson(said.value, value)
      : text.trim() === (typeof value === 'string' ? value : isObject(value) ? undefined : JSON.stringify(value));
  }
  const said = jsonNodesOf(text, { maxNodes: comparedNodes });
  const meant =
    said &&
    jsonNodesOf(beginningOf(jsonPieces(value), exactLength).text, {
      maxNodes: comparedNodes,
      maxLength: exactLength - 1,
    });
  if (!said || !meant) return false;
  const [a, b] = [JSON.stringify(said.root), JSON.stringify(meant.root)];
  // The two texts were cut at different positions, so only the first half of the shorter one is compared.
  const length = Math.floor(Math.min(a.length, b.length) / 2);
  return a.slice(0, length) === b.slice(0, length);
}

/** Maximum length of texts that are parsed, in characters. Parsing them takes a few milliseconds. */
const exactLength = 400_000;
const comparedNodes = 2_000;

class Reader {
  private readonly end: number;
  private readonly isCutShort: boolean;
  private readonly limits: Required<JsonNodeLimits>;
  private at = 0;
  nodes = 0;
  hidden = 0;

  constructor(
    private readonly text: string,
    { maxLength = 250_000, maxNodes = 4_000, maxDepth = 100, maxStringLength = 4_000 }: JsonNodeLimits,
  ) {
    this.limits = { maxLength, maxNodes, maxDepth, maxStringLength };
    this.isCutShort = text.length > maxLength;
    this.end = Math.min(text.length, maxLength);
    if (this.isCutShort) this.text = text.slice(0, maxLength);
  }

  read(): { root: JsonNode; isWhole: boolean } | undefined {
    const stack: Open[] = [];
    let isDeep = false;
    this.skipSpace();
    for (;;) {
      // Reads one value, or the end of an empty container.
      const top = stack.at(-1);
      let done: JsonNode | undefined;
      if (top && this.isFirst(top) && this.closes(top)) {
        stack.pop();
        done = top.node;
      } else {
        if (top?.node.kind === 'object' && !this.readKey(top)) return this.stopped(stack);
        if (this.nodes >= this.limits.maxNodes) return this.stopped(stack, true);
        this.nodes++;
        const char = this.text[this.at];
        if (char === '{' || char === '[') {
          if (stack.length >= this.limits.maxDepth) {
            if (!this.skipContainer()) return this.stopped(stack);
            isDeep = true;
            done = { kind: 'cut', text: '' };
          } else {
            this.at++;
            this.skipSpace();
            stack.push({ node: char === '{' ? { kind: 'object', entries: [] } : { kind: 'array', items: [] } });
            continue;
          }
        } else {
          done = this.readScalar();
          if (!done) return this.stopped(stack);
        }
      }
      // Closes all containers that end here.
      for (;;) {
        this.skipSpace();
        const parent = stack.at(-1);
        if (!parent) {
          if (!this.isCutShort && this.at < this.end) return undefined;
          return { root: done, isWhole: !this.isCutShort && !isDeep };
        }
        add(parent, done);
        if (this.text[this.at] === ',') {
          this.at++;
          this.skipSpace();
          break;
        }
        if (!this.closes(parent)) return this.stopped(stack);
        stack.pop();
        done = parent.node;
      }
    }
  }

  /** Returns the tree if reading stopped at the limit; undefined if it stopped because the text is not JSON. */
  private stopped(stack: Open[], isFull = false): { root: JsonNode; isWhole: boolean } | undefined {
    // A token that the limit cut in two looks invalid; any earlier error means that the text is not JSON.
    const isNearEnd = this.isCutShort && !/[\]}]/.test(this.text.slice(this.at, this.at + 1)) && this.tokenReachesEnd();
    if (!isFull && !isNearEnd) return undefined;
    let root: JsonNode | undefined;
    for (let open = stack.pop(); open; open = stack.pop()) {
      open.node.isCut = true;
      if (root) add(open, root);
      root = open.node;
    }
    return root && { root, isWhole: false };
  }

  /** Whether the token that starts here may continue beyond the limit. */
  private tokenReachesEnd(): boolean {
    if (this.at >= this.end) return true;
    if (this.text[this.at] !== '"') return /^[-+.\w]*$/.test(this.text.slice(this.at));
    const end = this.endOfString(this.at);
    return end === undefined || /^[ \t\r\n]*(?::[ \t\r\n]*)?$/.test(this.text.slice(end));
  }

  private readKey(top: Open): boolean {
    const start = this.at;
    const key = this.readString();
    this.skipSpace();
    if (key === undefined || this.text[this.at] !== ':') {
      this.at = start;
      return false;
    }
    this.at++;
    this.skipSpace();
    top.key = { key, ...this.labelOf(key) };
    if (this.at >= this.end) {
      this.at = this.end;
      return false;
    }
    return true;
  }

  private readScalar(): JsonScalar | undefined {
    const char = this.text[this.at];
    if (char === '"') {
      const value = this.readString();
      if (value === undefined) return undefined;
      const { maxStringLength } = this.limits;
      const more = Math.max(0, value.length - maxStringLength);
      return { kind: 'string', text: this.shown(value.slice(0, maxStringLength)), ...(more > 0 ? { more } : {}) };
    }
    for (const [word, kind] of words) {
      if (!this.text.startsWith(word, this.at)) continue;
      this.at += word.length;
      return { kind, text: word };
    }
    number.lastIndex = this.at;
    const found = number.exec(this.text)?.[0];
    // The number may continue beyond the limit.
    if (found === undefined || (this.isCutShort && this.at + found.length >= this.end)) return undefined;
    this.at += found.length;
    return { kind: 'number', text: visibleText(found, this.limits.maxStringLength) };
  }

  private labelOf(key: string): { label?: string } {
    // Fast path, because most names are plain words.
    if (/^[\x21-\x7e]{1,200}$/.test(key)) return {};
    this.hidden += countHidden(key);
    const label = visibleLine(key, maxLabelLength);
    return label === key ? {} : { label };
  }

  private shown(text: string): string {
    if (/^[\x20-\x7e]*$/.test(text)) return text;
    this.hidden += countHidden(text);
    return visibleText(text, text.length);
  }

  private readString(): string | undefined {
    if (this.text[this.at] !== '"') return undefined;
    const end = this.endOfString(this.at);
    if (end === undefined) return undefined;
    try {
      // `JSON.parse` handles all escapes and refuses invalid ones.
      const value = JSON.parse(this.text.slice(this.at, end)) as string;
      this.at = end;
      return value;
    } catch {
      // The text is not a JSON string, so the caller treats the whole text as plain text.
      return undefined;
    }
  }

  /**
   * The position after the closing quote of the string that starts at `start`; undefined if the string does not end
   * within the limit.
   */
  private endOfString(start: number): number | undefined {
    for (let i = start + 1; i < this.end; i++) {
      const char = this.text[i];
      if (char === '\\') i++;
      else if (char === '"') return i + 1;
    }
    return undefined;
  }

  /** Skips an object or array without adding it to the tree. */
  private skipContainer(): boolean {
    let depth = 0;
    do {
      const char = this.text[this.at];
      if (char === undefined) return false;
      if (char === '"') {
        if (this.readString() === undefined) return false;
        continue;
      }
      if (char === '{' || char === '[') depth++;
      else if (char === '}' || char === ']') depth--;
      this.at++;
    } while (depth > 0);
    return true;
  }

  private isFirst({ node }: Open): boolean {
    return node.kind === 'object' ? node.entries.length === 0 : node.items.length === 0;
  }

  private closes({ node }: Open): boolean {
    if (this.text[this.at] !== (node.kind === 'object' ? '}' : ']')) return false;
    this.at++;
    return true;
  }

  private skipSpace(): void {
    space.lastIndex = this.at;
    space.test(this.text);
    this.at = space.lastIndex;
  }
}

const words = [
  ['true', 'boolean'],
  ['false', 'boolean'],
  ['null', 'null'],
] as const;

function add({ node, key }: Open, value: JsonNode): void {
  if (node.kind === 'array') node.items.push(value);
  else if (key) node.entries.push({ ...key, value });
}
