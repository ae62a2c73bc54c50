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
  const box = range.getBoundingClientRect();
  const scroller = scrollerOf(element);
  const frame = scroller.getBoundingClientRect();
  if (box.top < frame.top + 40 || box.bottom > frame.bottom - 20)
    scroller.scrollTop += box.top - frame.top - frame.height / 2;
  // A wide table or a long line is also scrolled horizontally.
  for (let at: HTMLElement | null = element; at && at !== scroller; at = at.parentElement) {
    if (at.scrollWidth <= at.clientWidth || getComputedStyle(at).overflowX === 'visible') continue;
    const inner = at.getBoundingClientRect();
    const now = range.getBoundingClientRect();
    if (now.left < inner.left || now.right > inner.right) at.scrollLeft += now.left - inner.left - inner.width / 2;
  }
}

/** The element that scrolls the result vertically. */
function scrollerOf(element: HTMLElement): HTMLElement {
  for (let at: HTMLElement | null = element; at; at = at.parentElement)
    if (at.scrollHeight > at.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(at).overflowY)) return at;
  return document.scrollingElement as HTMLElement;
}
