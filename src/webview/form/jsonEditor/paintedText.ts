import { readJson } from '../../../shared/form/jsonEditor/jsonReader.js';
import type { TextRange } from '../../../shared/form/looseJson.js';
import { el } from '../../page/dom.js';

/** Maximum number of characters that are drawn in colors. Longer text has the color of the text field. */
const maxColored = 100_000;

/** A part of the text with one CSS class. */
interface Piece extends TextRange {
  look: string;
}

/**
 * The colored text of a text field, with underlined problems. It has the same font and position as the field, which it
 * covers, and is hidden from screen readers.
 */
export class PaintedText {
  readonly element = el('div', { class: 'json-paint', attributes: { 'aria-hidden': 'true' } });

  /** Draws the text again. Returns whether it has colors. Without colors and marks, nothing is drawn. */
  draw(source: string, marks: readonly TextRange[]): boolean {
    const isColored = source.length <= maxColored;
    if (!isColored && marks.length === 0) {
      this.element.replaceChildren();
      return false;
    }
    const pieces = isColored ? lookOf(source) : [];
    const parts: (Node | string)[] = [];
    let at = 0;
    for (const piece of cut(pieces, marks, source.length)) {
      if (piece.from > at) parts.push(source.slice(at, piece.from));
      parts.push(el('span', { class: piece.look }, source.slice(piece.from, piece.to) || ' '));
      at = piece.to;
    }
    if (at < source.length) parts.push(source.slice(at));
    this.element.replaceChildren(...parts);
    return isColored;
  }

  /** Where a position of the text is on the screen. */
  pointAt(source: string, offset: number): { left: number; bottom: number } {
    if (!this.element.hasChildNodes()) this.element.textContent = source;
    const range = document.createRange();
    range.selectNodeContents(this.element);
    let left = offset;
    const walker = document.createTreeWalker(this.element, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const length = node.textContent?.length ?? 0;
      if (left <= length) {
        range.setStart(node, left);
        range.setEnd(node, left);
        break;
      }
      left -= length;
    }
    const rects = range.getClientRects();
    const rect = rects[rects.length - 1] ?? this.element.getBoundingClientRect();
    return { left: rect.left, bottom: rect.bottom };
  }
}

function lookOf(source: string): Piece[] {
  const pieces: Piece[] = [];
  for (const { token, role } of readJson(source)) {
    const look =
      role === 'name' || role === 'comment'
        ? `json-${role}`
        : role !== 'value'
          ? ''
          : token.text.startsWith('"')
            ? 'json-string'
            : /^[-\d]/.test(token.text)
              ? 'json-number'
              : 'json-word';
    if (look !== '') pieces.push({ from: token.from, to: token.to, look });
  }
  return pieces;
}

/** Splits the pieces at the marks. A mark is at least one character long. */
function cut(pieces: readonly Piece[], marks: readonly TextRange[], length: number): Piece[] {
  const marked = marks
    .map(({ from, to }): Piece => ({ from, to: Math.min(length, Math.max(to, from + 1)), look: 'json-mark' }))
    .sort((a, b) => a.from - b.from)
    .filter((mark, index, all) => index === 0 || mark.from >= (all[index - 1]?.to ?? 0));
  const result: Piece[] = [];
  let next = 0;
  for (const piece of pieces) {
    let { from } = piece;
    for (let mark = marked[next]; mark && mark.from < piece.to; mark = marked[++next]) {
      if (mark.from > from) result.push({ from, to: mark.from, look: piece.look });
      result.push({ ...mark, look: mark.from >= piece.from ? `${piece.look} ${mark.look}` : mark.look });
      from = Math.max(from, mark.to);
    }
    if (from < piece.to) result.push({ from, to: piece.to, look: piece.look });
  }
  return [...result, ...marked.slice(next)];
}
