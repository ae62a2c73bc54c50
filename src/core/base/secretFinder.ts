/**
 * Finds known secrets in a text, in every encoding in which they occur: unchanged, with JSON escapes once and twice, with
 * the escapes of other languages, percent-encoded, and in base64 at each of its three alignments. Linear in the text for
 * any number of secrets: tables of the first two and the first four characters of the secrets show where a comparison is
 * needed, and for a long secret, each character of the text is compared only once or twice.
 */
import type { PlacesInText } from './longTextSearch.js';
import { LongTextSearch } from './longTextSearch.js';

export const dots = '•••';

/** Minimum length of a secret, in characters; shorter texts match by chance. */
export const minSecretLength = 4;
/** Minimum length for base64, in bytes; a shorter secret may occur by chance. */
const minEncodedBytes = 6;
/** Number of characters of a truncated secret that may remain, because so few characters reveal nothing. */
const harmlessRest = 2;
const tableSize = 1 << 16;
/** Length in characters from which a secret is searched for with `LongTextSearch`. */
const longLength = 64;
/**
 * Maximum length of a secret that is searched for in every encoding, in characters. All forms together need up to
 * 60 times its memory. No key or token is longer; a longer value is searched for unchanged and with JSON escapes.
 */
const maxEncodedLength = 16_384;

export class SecretFinder {
  private readonly forms: readonly string[];
  /** Bit 1: a secret begins with these two characters; bit 2: with these four. */
  private readonly mayBegin = new Uint8Array(tableSize);
  private readonly byBeginning = new Map<string, string[]>();
  /** Created on first use. */
  private readonly searches = new Map<string, LongTextSearch>();

  constructor(secrets: readonly string[]) {
    const long = secrets.filter(({ length }) => length >= minSecretLength);
    const forms = new Set(long.flatMap((secret) => [...formsOf(secret), ...linesOf(secret)]));
    this.forms = [...forms].filter(({ length }) => length >= minSecretLength);
    for (const form of this.forms) {
      const beginning = form.slice(0, minSecretLength);
      this.mark(pairSlot(form.charCodeAt(0), form.charCodeAt(1)), 1);
      this.mark(slotOf(form, 0), 2);
      const known = this.byBeginning.get(beginning);
      if (known) known.push(form);
      else this.byBeginning.set(beginning, [form]);
    }
  }

  /**
   * Length of the longest encoded secret, in characters; 0 without secrets. Where a text is cut, the last `longest - 1`
   * characters must be searched again.
   */
  get longest(): number {
    return this.forms.reduce((most, { length }) => Math.max(most, length), 0);
  }

  get isEmpty(): boolean {
    return this.forms.length === 0;
  }

  /**
   * `text` with every secret replaced by dots; the same string if there is none. Overlapping secrets become one. Where
   * the text was cut, which a "…" shows, the beginning of a secret before the cut is replaced too.
   */
  mask(text: string): string {
    return this.maskUntil(text, text.length).masked;
  }

  /**
   * Masks the beginning of a text whose rest may follow later. Masks only secrets that begin before `until`.
   * @returns the masked beginning, and where the rest begins: at `until`, or after the secret that extends past it.
   */
  maskUntil(text: string, until: number): { masked: string; end: number } {
    if (this.forms.length === 0) return { masked: text.slice(0, until), end: until };
    let masked = '';
    let done = 0;
    let begin = -1;
    let end = 0;
    const { mayBegin } = this;
    const last = text.length - minSecretLength;
    let cut = -1;
    const searched = new Map<string, PlacesInText>();
    let now = text.charCodeAt(0);
    for (let at = 0; at <= last && (at < until || at < end); at++) {
      const code = now;
      now = text.charCodeAt(at + 1);
      if (((mayBegin[pairSlot(code, now)] ?? 0) & 1) === 0 || ((mayBegin[slotOf(text, at)] ?? 0) & 2) === 0) continue;
      if (cut < at) cut = positionOrEnd(text.indexOf('…', at));
      const length = this.lengthAt(text, at, cut, searched);
      if (length === 0) continue;
      if (begin >= 0 && at >= end) {
        masked += text.slice(done, begin) + dots;
        done = end;
        begin = -1;
      }
      if (begin < 0) begin = at;
      end = Math.max(end, at + length);
    }
    if (begin < 0)
      return { masked: done === 0 && until === text.length ? text : masked + text.slice(done, until), end: until };
    return {
      masked: masked + text.slice(done, begin) + dots + text.slice(end, Math.max(until, end)),
      end: Math.max(until, end),
    };
  }

  /** Masks a truncated text. Also removes the beginning of a secret at its end. */
  maskBeginning(text: string): string {
    const masked = this.mask(text);
    const rest = this.lengthAtEnd(masked);
    return rest > harmlessRest ? masked.slice(0, masked.length - rest) + dots : masked;
  }

  /**
   * The number of characters at the end of a text that may be the beginning of a secret. Shorter beginnings than three
   * characters are not looked for, so the result is at least 2.
   */
  lengthAtEnd(text: string): number {
    const end = text.slice(Math.max(0, text.length - this.longest + 1));
    return this.forms
      .filter((form) => end.includes(form.slice(0, harmlessRest + 1)))
      .reduce((most, form) => Math.max(most, this.searchOf(form).lengthAtEnd(end)), harmlessRest);
  }

  /** The first `maxLength` characters of a text, masked. A longer text is cut first, to limit the work. */
  maskFirst(text: string, maxLength: number): string {
    return text.length > maxLength ? this.maskBeginning(text.slice(0, maxLength)) : this.mask(text);
  }

  private searchOf(form: string): LongTextSearch {
    let search = this.searches.get(form);
    if (!search) this.searches.set(form, (search = new LongTextSearch(form)));
    return search;
  }

  private mark(slot: number, bit: number): void {
    this.mayBegin[slot] = (this.mayBegin[slot] ?? 0) | bit;
  }

  /**
   * The length of the longest secret that begins at this position; 0 if there is none. The beginning of a secret also
   * counts if it ends at `cut`, the position of the next "…".
   * @param searched the searches in this text, by secret.
   */
  private lengthAt(text: string, at: number, cut: number, searched: Map<string, PlacesInText>): number {
    let longest = 0;
    for (const form of this.byBeginning.get(text.slice(at, at + minSecretLength)) ?? []) {
      if (form.length <= longest) continue;
      if (form.length >= longLength) {
        let search = searched.get(form);
        if (!search) searched.set(form, (search = this.searchOf(form).in(text)));
        longest = Math.max(longest, search.lengthAt(at));
      } else if (text.startsWith(form, at)) longest = form.length;
      else if (cut - at > longest && cut - at < form.length && form.startsWith(text.slice(at, cut))) longest = cut - at;
    }
    return longest;
  }
}

function positionOrEnd(position: number): number {
  return position < 0 ? Infinity : position;
}

function pairSlot(first: number, second: number): number {
  return (first * 257 + second) & (tableSize - 1);
}

function slotOf(text: string, at: number): number {
  return (
    (text.charCodeAt(at) * 131 + text.charCodeAt(at + 1) * 31 + text.charCodeAt(at + 2) * 7 + text.charCodeAt(at + 3)) &
    (tableSize - 1)
  );
}

/** Minimum length of a line of a secret that is a secret itself, in characters. */
const minLineLength = 12;

/** The lines of a secret with several lines, because logs show each line separately. Line breaks can be escaped. */
function linesOf(secret: string): string[] {
  const lines = secret.split(/(?:[\r\n]|\\[rn])+/).map((line) => line.trim());
  return lines.length === 1 ? [] : lines.filter(({ length }) => length >= minLineLength);
}

function formsOf(secret: string): string[] {
  const escaped = inJson(secret);
  if (secret.length > maxEncodedLength) return [secret, escaped];
  const percent = percentEncoded(secret);
  const strict = percent.replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
  const base64 = base64Cores(secret);
  const urlSafe = base64.map((core) => core.replaceAll('+', '-').replaceAll('/', '_'));
  return [
    secret,
    escaped,
    inJson(escaped),
    ...escapedElsewhere(escaped),
    percent,
    strict,
    percent.replaceAll('%2F', '/'),
    strict.replaceAll('%2F', '/'),
    percent.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    percent.replaceAll('%20', '+'),
    ...base64,
    ...urlSafe,
    ...base64.map(percentEncoded),
  ];
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** The forms of a JSON text in which other languages than JavaScript escape more characters. */
function escapedElsewhere(escaped: string): string[] {
  const inHex = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const upper = (char: string) => `\\u${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
  const ascii = escaped.replace(/[^\0-\x7f]/g, inHex);
  return [
    // Python, PHP, Go, and .NET.
    ascii,
    ascii.replaceAll('/', '\\/'),
    escaped.replaceAll('/', '\\/'),
    escaped.replace(/[<>&\u2028\u2029]/g, inHex),
    escaped.replaceAll('\\"', '"').replace(/["&'+<>`]|[^\0-\x7f]/g, upper),
  ];
}

/** Like `encodeURIComponent`, but accepts unpaired surrogates, for which `encodeURIComponent` throws. */
function percentEncoded(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'));
}

/**
 * The base64 texts of the secret that do not depend on the surrounding bytes: one for each of the three alignments, and
 * the complete encoding of the text alone.
 */
function base64Cores(text: string): string[] {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length < minEncodedBytes) return [];
  const alone = bytes.toString('base64');
  const cores = [0, 1, 2].map((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    // A character at either end that also encodes bits of a neighboring byte is omitted.
    const isWhole = (before + bytes.length) % 3 === 0;
    return encoded.slice([0, 2, 3][before], isWhole ? undefined : -1);
  });
  return [alone, alone.replace(/=+$/, ''), ...cores];
}

const finders = new WeakMap<readonly string[], SecretFinder>();

/** The finder for an immutable list; created once per list. */
export function finderOf(secrets: readonly string[]): SecretFinder {
  let finder = finders.get(secrets);
  if (!finder) finders.set(secrets, (finder = new SecretFinder(secrets)));
  return finder;
}
