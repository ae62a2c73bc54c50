/**
 * Finds a long text in other texts in linear time (Knuth, Morris and Pratt), also if both repeat themselves. Comparing
 * the whole long text at each place would take the product of the two lengths.
 */
export class LongTextSearch {
  /** For a beginning of this length, the length of the longest shorter beginning with which it ends. */
  private borders: Int32Array | undefined;

  constructor(readonly wanted: string) {}

  /** Begins a search in a text. */
  in(text: string): PlacesInText {
    return new PlacesInText(this, text);
  }

  /** The length of the longest beginning of the wanted text, but not the whole, with which `text` ends. */
  lengthAtEnd(text: string): number {
    let length = 0;
    for (let at = Math.max(0, text.length - this.wanted.length + 1); at < text.length; at++)
      length = this.next(length, text.charCodeAt(at));
    return length;
  }

  /**
   * The length of the beginning of the wanted text that ends after the next character.
   * @param length of the beginning that ended before it.
   */
  next(length: number, code: number): number {
    const { wanted } = this;
    const borders = (this.borders ??= bordersOf(wanted));
    let now = length;
    while (now > 0 && (now === wanted.length || wanted.charCodeAt(now) !== code)) now = borders[now] ?? 0;
    return wanted.charCodeAt(now) === code ? now + 1 : 0;
  }
}

/** The places of the wanted text in one text, and of its beginning where the text was cut, which a "…" shows. */
export class PlacesInText {
  /** The number of characters that were read, and the length of the beginning that ends there. */
  private read = 0;
  private length = 0;
  /** The places that were found and not asked for, in ascending order, with their lengths. */
  private found: { at: number; length: number }[] = [];
  private first = 0;

  constructor(
    private readonly search: LongTextSearch,
    private readonly text: string,
  ) {}

  /**
   * The number of characters that belong to the wanted text at a place; 0 if there are none. Must be called with
   * ascending places; places at which nothing begins, or that are of no interest, can be omitted.
   */
  lengthAt(at: number): number {
    if (at >= this.read) this.restart(at);
    const { search, text } = this;
    const { length: whole } = search.wanted;
    const end = Math.min(text.length, at + whole);
    while (this.read < end) {
      const code = text.charCodeAt(this.read);
      if (code === ellipsis && this.length > 0) this.found.push({ at: this.read - this.length, length: this.length });
      this.length = search.next(this.length, code);
      this.read++;
      if (this.length === whole) this.found.push({ at: this.read - whole, length: whole });
      if (this.length === 0) break;
    }
    let longest = 0;
    for (let next = this.found[this.first]; next && next.at <= at; next = this.found[++this.first])
      if (next.at === at) longest = Math.max(longest, next.length);
    if (this.first > 1_000 && this.first * 2 > this.found.length) {
      this.found = this.found.slice(this.first);
      this.first = 0;
    }
    return longest;
  }

  private restart(at: number): void {
    this.read = at;
    this.length = 0;
    this.found = [];
    this.first = 0;
  }
}

const ellipsis = '…'.charCodeAt(0);

function bordersOf(text: string): Int32Array {
  const borders = new Int32Array(text.length + 1);
  let border = 0;
  for (let at = 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    while (border > 0 && text.charCodeAt(border) !== code) border = borders[border] ?? 0;
    if (text.charCodeAt(border) === code) border++;
    borders[at + 1] = border;
  }
  return borders;
}
