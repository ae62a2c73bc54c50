import type { TextHit } from '../../../shared/result/findText.js';
import { hitsInText, linesWithHits, maxHits } from '../../../shared/result/findText.js';

/** One hit. `reveal` draws and expands the content around the hit and returns the range of the hit on the page. */
export interface FindHit {
  reveal(): Range | undefined;
  /** The range of the hit, if it is already drawn and expanded. */
  peek?(): Range | undefined;
}

/** A part of a result that can be searched, including content that is not drawn. */
export interface Findable {
  readonly element: HTMLElement;
  /** Whether the page has only the beginning of the content. */
  readonly isCut?: boolean;
  find(pattern: RegExp): readonly FindHit[];
  /** Shows only the content that contains a hit. Undefined shows everything. Absent if the part cannot be filtered. */
  filter?(pattern: RegExp | undefined): void;
}

/** The searchable parts that are on the page. Parts that were removed from the page are dropped. */
export class Findables {
  private parts: Findable[] = [];
  /** Called after a part was added. */
  onChange: () => void = () => undefined;

  add(part: Findable): void {
    this.parts.push(part);
    this.onChange();
  }

  /** The parts in their order on the page. */
  list(): readonly Findable[] {
    this.parts = this.parts.filter(({ element }) => element.isConnected);
    return this.parts.sort((a, b) =>
      a.element.compareDocumentPosition(b.element) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1,
    );
  }

  /** The hits of all parts, at most `maxHits`. */
  find(pattern: RegExp): FindHit[] {
    const hits: FindHit[] = [];
    for (const part of this.list()) hits.push(...part.find(pattern));
    return hits.slice(0, maxHits);
  }
}

/** Converts a position in the text of an element to a range. Undefined if the text is shorter. */
export function rangeIn(element: Element, { start, end }: TextHit): Range | undefined {
  const range = document.createRange();
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  let at = 0;
  let hasStart = false;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const { length } = node.textContent ?? '';
    if (!hasStart && start < at + length) {
      range.setStart(node, start - at);
      hasStart = true;
    }
    if (hasStart && end <= at + length) {
      range.setEnd(node, end - at);
      return range;
    }
    at += length;
  }
  return undefined;
}

/** A part whose whole text is drawn in `element`. The search reads the text from the element. */
export function drawnText(element: HTMLElement, isCut = false): Findable {
  return {
    element,
    isCut,
    find: (pattern) =>
      hitsInText(element.textContent ?? '', pattern).map((hit) => {
        const range = () => rangeIn(element, hit);
        return { reveal: range, peek: range };
      }),
  };
}

/** A text whose lines can be filtered. */
export function plainLines(element: HTMLElement, text: string, isCut: boolean): Findable {
  return {
    ...drawnText(element, isCut),
    filter: (pattern) => {
      const shown = pattern ? linesWithHits(text, pattern) : text;
      if (element.textContent !== shown) element.textContent = shown;
    },
  };
}
