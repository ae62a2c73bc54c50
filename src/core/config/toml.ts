/**
 * Reads TOML 1.0 as plain data, and changes one table of a file without changing the rest. Dates become texts.
 */
import { isDeepStrictEqual } from 'node:util';
import { isObject, valueAt } from '../base/guards.js';
import { emptyHashTable, setOwn } from '../base/objectCopy.js';

type Table = Record<string, unknown>;

/** A table header and what follows it, up to the end of the last value. */
interface Block {
  path: readonly string[];
  start: number;
  end: number;
}

/** Maximum depth of tables and lists. */
const maxDepth = 50;
/** Maximum number of tables. Each needs many times as much memory as its few characters. */
const maxTables = 100_000;

/** Reads a text. Throws an error with the line number if the text is not valid. */
export function readToml(text: string): Table {
  return new TomlReader(text).read().root;
}

/**
 * Sets or removes (undefined) the table at a path. Comments inside of the table are lost if it changes; everything else
 * is kept. Throws if the text is not valid, or if the table exists but has no header of its own, for example because it
 * is an inline table.
 */
export function withTomlTable(text: string, path: readonly string[], table: Table | undefined): string {
  const { root, blocks } = new TomlReader(text).read();
  const there = valueAt(root, path);
  if (isDeepStrictEqual(there, table)) return text;
  const own = blocks.filter((block) => path.every((part, index) => block.path[index] === part));
  if (there !== undefined && own.length === 0)
    throw new Error(`"${path.join('.')}" is not written as a table of its own.`);
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const added = table === undefined ? '' : tableText(path, table).replaceAll('\n', eol);
  const [first] = own;
  if (!first) return `${text}${text === '' || text.endsWith('\n') ? '' : eol}${text.trim() === '' ? '' : eol}${added}`;
  const pieces: string[] = [];
  let at = 0;
  for (const block of own) {
    pieces.push(text.slice(at, block.start), block === first ? added : '');
    at = endOfLine(text, block.end);
  }
  // Where a table was removed, only one blank line remains.
  const before = pieces.join('');
  const after = text.slice(at);
  const newline = before.indexOf('\n', before.trimEnd().length);
  return `${table === undefined && newline !== -1 ? before.slice(0, newline + 1) : before}${after}`;
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end + 1;
}

function tableText(path: readonly string[], table: Table): string {
  const lines = membersOf(table).map(([key, value]) => `${keyText(key)} = ${valueText(value)}\n`);
  return `[${path.map(keyText).join('.')}]\n${lines.join('')}`;
}

function keyText(key: string): string {
  return /^[\w-]+$/.test(key) ? key : JSON.stringify(key);
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.filter(isWritable).map(valueText).join(', ')}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? '""';
  const members = membersOf(value).map(([key, member]) => `${keyText(key)} = ${valueText(member)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

/** Whether a value can be written. TOML has no null, and a field with null means the same as a missing field. */
function isWritable(value: unknown): boolean {
  return value !== null && value !== undefined;
}

function membersOf(table: Table): [string, unknown][] {
  return Object.entries(table).filter(([, value]) => isWritable(value));
}

const escapes: Readonly<Record<string, string>> = {
  b: '\b',
  t: '\t',
  n: '\n',
  f: '\f',
  r: '\r',
  e: '\u001b',
  '"': '"',
  '\\': '\\',
};

class TomlReader {
  private at = 0;
  private tables = 0;

  constructor(private readonly text: string) {}

  read(): { root: Table; blocks: Block[] } {
    const root: Table = emptyHashTable();
    const blocks: Block[] = [];
    let current = root;
    let depth = 0;
    if (this.text.startsWith('\ufeff')) this.at = 1;
    for (this.skip(true); this.at < this.text.length; this.skip(true)) {
      const start = this.at;
      if (this.text[this.at] === '[') {
        const isList = this.text[this.at + 1] === '[';
        this.at += isList ? 2 : 1;
        const path = this.keys(0);
        depth = path.length;
        this.expect(isList ? ']]' : ']');
        current = isList ? this.listItem(root, path) : this.tableAt(root, path);
        blocks.push({ path, start, end: this.at });
        this.countTable();
      } else {
        this.member(current, depth);
        const block = blocks.at(-1);
        if (block) block.end = this.at;
      }
      this.endLine();
    }
    return { root, blocks };
  }

  private member(table: Table, depth: number): void {
    const path = this.keys(depth);
    this.expect('=');
    this.skip(false);
    const name = path.pop() ?? '';
    const parent = this.tableAt(table, path);
    if (Object.hasOwn(parent, name)) throw this.problem(`"${name}" is defined twice`);
    setOwn(parent, name, this.value(depth + path.length));
  }

  /** The parts of a dotted key in a table at this depth. */
  private keys(depth: number): string[] {
    const keys: string[] = [];
    do {
      if (depth + keys.length > maxDepth) throw this.problem('tables are nested too deeply');
      this.skip(false);
      const quote = this.text[this.at];
      const bare = /[\w-]+/y;
      bare.lastIndex = this.at;
      const found = bare.exec(this.text)?.[0];
      if (quote === '"' || quote === "'") keys.push(this.line(quote));
      else if (found !== undefined) {
        keys.push(found);
        this.at += found.length;
      } else throw this.problem('a key is missing');
      this.skip(false);
    } while (this.take('.'));
    return keys;
  }

  private value(depth: number): unknown {
    if (depth > maxDepth) throw this.problem('values are nested too deeply');
    const quote = this.text[this.at];
    if (quote === '"' || quote === "'")
      return this.text.startsWith(quote.repeat(3), this.at) ? this.lines(quote) : this.line(quote);
    if (this.take('[')) return this.list(depth);
    if (this.take('{')) return this.inlineTable(depth);
    const word = /[\w+:.-]+(?: \d[\d:.]*)?/y;
    word.lastIndex = this.at;
    const found = word.exec(this.text)?.[0];
    if (found === undefined) throw this.problem('a value is missing');
    this.at += found.length;
    if (found === 'true' || found === 'false') return found === 'true';
    if (/^\d{4}-\d{2}-\d{2}|^\d{2}:\d{2}/.test(found)) return found;
    const plain = found.replaceAll('_', '');
    const number = /^[+-]?(?:inf|nan)$/.test(plain)
      ? Number(plain.replace('inf', 'Infinity').replace('nan', 'NaN'))
      : Number(plain);
    if (Number.isNaN(number) && !plain.endsWith('nan')) throw this.problem(`"${found.slice(0, 40)}" is not a value`);
    return number;
  }

  private list(depth: number): unknown[] {
    const items: unknown[] = [];
    for (this.skip(true); !this.take(']'); this.skip(true)) {
      items.push(this.value(depth + 1));
      this.skip(true);
      if (this.take(',')) continue;
      this.expect(']');
      break;
    }
    return items;
  }

  private newTable(): Table {
    this.countTable();
    return emptyHashTable();
  }

  private countTable(): void {
    if (++this.tables > maxTables) throw this.problem('there are too many tables');
  }

  private inlineTable(depth: number): Table {
    const table = this.newTable();
    for (this.skip(true); !this.take('}'); this.skip(true)) {
      this.member(table, depth + 1);
      this.skip(true);
      if (this.take(',')) continue;
      this.expect('}');
      break;
    }
    return table;
  }

  /** A string on one line. */
  private line(quote: string): string {
    let end = this.at + 1;
    while (end < this.text.length && this.text[end] !== quote && this.text[end] !== '\n')
      end += quote === '"' && this.text[end] === '\\' ? 2 : 1;
    if (this.text[end] !== quote) throw this.problem('a string has no closing quotation mark');
    const raw = this.text.slice(this.at + 1, end);
    this.at = end + 1;
    return quote === '"' ? this.unescaped(raw) : raw;
  }

  /** A string on several lines, in triple quotation marks. */
  private lines(quote: string): string {
    const marks = quote.repeat(3);
    const start = this.at + 3;
    let end = start;
    while (end < this.text.length && !this.text.startsWith(marks, end))
      end += quote === '"' && this.text[end] === '\\' ? 2 : 1;
    if (end >= this.text.length) throw this.problem('a string has no closing quotation mark');
    // Up to two quotation marks can precede the closing ones.
    while (this.text[end + 3] === quote) end++;
    this.at = end + 3;
    const raw = this.text.slice(start, end).replace(/^\r?\n/, '');
    return quote === '"' ? this.unescaped(raw.replace(/\\[ \t]*\r?\n\s*/g, '')) : raw;
  }

  private unescaped(raw: string): string {
    return raw.replace(
      /\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|([^]))/g,
      (_all, short?: string, long?: string, mark?: string) => {
        const code = short ?? long;
        const known = code === undefined ? escapes[mark ?? ''] : codePoint(parseInt(code, 16));
        if (known === undefined) throw this.problem('an escape sequence is invalid');
        return known;
      },
    );
  }

  private tableAt(root: Table, path: readonly string[]): Table {
    let table = root;
    for (const name of path) {
      const own: unknown = Object.hasOwn(table, name) ? table[name] : undefined;
      // The name of a list of tables refers to the last table in the list.
      const next: unknown = Array.isArray(own) ? (own as unknown[]).at(-1) : own;
      if (next === undefined) {
        const added = this.newTable();
        setOwn(table, name, added);
        table = added;
      } else if (isObject(next)) table = next;
      else throw this.problem(`"${name}" is not a table`);
    }
    return table;
  }

  private listItem(root: Table, path: readonly string[]): Table {
    const parent = this.tableAt(root, path.slice(0, -1));
    const name = path.at(-1) ?? '';
    const item = this.newTable();
    const own = Object.hasOwn(parent, name) ? parent[name] : undefined;
    if (own === undefined) setOwn(parent, name, [item]);
    else if (Array.isArray(own)) own.push(item);
    else throw this.problem(`"${name}" is not a list of tables`);
    return item;
  }

  /** Skips spaces and, if `isLong`, line ends and comments. */
  private skip(isLong: boolean): void {
    const blank = isLong ? /(?:[ \t\r\n]+|#[^\n]*)*/y : /[ \t]*/y;
    blank.lastIndex = this.at;
    this.at += blank.exec(this.text)?.[0].length ?? 0;
  }

  private take(mark: string): boolean {
    if (!this.text.startsWith(mark, this.at)) return false;
    this.at += mark.length;
    return true;
  }

  private expect(mark: string): void {
    this.skip(false);
    if (!this.take(mark)) throw this.problem(`"${mark}" is missing`);
  }

  private endLine(): void {
    const rest = /[ \t]*(?:#[^\n]*)?(?:\r?\n|$)/y;
    rest.lastIndex = this.at;
    if (!rest.test(this.text)) throw this.problem('there is unexpected text at the end of the line');
  }

  private problem(text: string): Error {
    return new Error(`Line ${this.text.slice(0, this.at).split('\n').length}: ${text}.`);
  }
}

function codePoint(code: number): string | undefined {
  return code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : undefined;
}
