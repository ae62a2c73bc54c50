import { el } from '../page/dom.js';

/**
 * Wraps an element that scrolls sideways. A shadow at an edge shows that the content continues there, because a
 * scrollbar may be invisible until the pointer is over it.
 */
export function withScrollEdges(scroll: HTMLElement): HTMLElement {
  const frame = el('div', { class: 'result-edges' }, scroll);
  const update = () => {
    const rest = scroll.scrollWidth - scroll.clientWidth - scroll.scrollLeft;
    frame.classList.toggle('result-more-left', scroll.scrollLeft > 1);
    frame.classList.toggle('result-more-right', rest > 1);
  };
  scroll.addEventListener('scroll', update);
  const watch = new ResizeObserver(update);
  watch.observe(scroll);
  if (scroll.firstElementChild) watch.observe(scroll.firstElementChild);
  return frame;
}
