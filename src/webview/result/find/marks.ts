/** Marks hits without changing the page (CSS Custom Highlight API). */
const all = 'find-hit';
const one = 'find-current';

/** Marks all `ranges`, and marks the current one in a stronger color. */
export function markHits(ranges: readonly Range[], current: Range | undefined): void {
  CSS.highlights.set(all, new Highlight(...ranges));
  const highlight = new Highlight(...(current ? [current] : []));
  highlight.priority = 1;
  CSS.highlights.set(one, highlight);
}

/** Expands collapsed content around a hit and scrolls the hit into view. */
export function showHit(range: Range): void {
  const element = range.startContainer.parentElement;
  for (let at = element?.closest('details'); at; at = at.parentElement?.closest('details')) at.open = true;
  if (!element) return;
  // A table scrolls inside the result, and the result scrolls as well.
  for (let at: HTMLElement | null = element; at; at = at.parentElement) scrollTo(at, range);
}

/** Scrolls `element`, if it scrolls, until the range is inside of it. */
function scrollTo(element: HTMLElement, range: Range): void {
  const isPage = element === document.scrollingElement;
  const { overflowX, overflowY } = getComputedStyle(element);
  const frame = isPage ? new DOMRect(0, 0, innerWidth, innerHeight) : element.getBoundingClientRect();
  const box = range.getBoundingClientRect();
  const isHigh = element.scrollHeight > element.clientHeight + 1 && (isPage || /auto|scroll/.test(overflowY));
  if (isHigh && (box.top < frame.top + 40 || box.bottom > frame.bottom - 20))
    element.scrollTop += box.top - frame.top - frame.height / 2;
  const isLong = element.scrollWidth > element.clientWidth && /auto|scroll/.test(overflowX);
  if (isLong && (box.left < frame.left || box.right > frame.right))
    element.scrollLeft += box.left - frame.left - frame.width / 2;
}
