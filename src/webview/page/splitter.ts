import { el, setAttributes } from './dom.js';

const step = 2;
const min = 15;
const max = 85;

/**
 * The bar between two parts of `container`. The user drags it or moves it with the arrow keys. The custom property
 * `--share` contains the share of the first part in percent, which the styles use for rows or columns.
 */
export class Splitter {
  readonly element: HTMLElement;
  private share: number;

  constructor(
    private readonly container: HTMLElement,
    label: string,
    initial: number,
    private readonly onChange: (share: number) => void,
  ) {
    this.element = el('div', {
      class: 'splitter',
      attributes: { role: 'separator', tabindex: 0, 'aria-label': label, 'aria-valuemin': min, 'aria-valuemax': max },
      on: {
        pointerdown: (event) => this.drag(event),
        keydown: (event) => this.press(event),
        dblclick: () => this.move(50),
      },
    });
    this.share = initial;
    this.move(initial);
  }

  /** Whether the parts are side by side. That depends on the width of the container, as in its styles. */
  private get isWide(): boolean {
    return getComputedStyle(this.container).getPropertyValue('--is-wide').trim() === '1';
  }

  private move(share: number): void {
    const isNew = share !== this.share;
    this.share = Math.min(max, Math.max(min, Math.round(share * 10) / 10));
    this.container.style.setProperty('--share', String(this.share));
    setAttributes(this.element, {
      'aria-valuenow': Math.round(this.share),
      'aria-orientation': this.isWide ? 'vertical' : 'horizontal',
    });
    if (isNew) this.onChange(this.share);
  }

  private drag(event: PointerEvent): void {
    event.preventDefault();
    this.element.setPointerCapture(event.pointerId);
    const box = this.container.getBoundingClientRect();
    const onMove = ({ clientX, clientY }: PointerEvent) =>
      this.move(this.isWide ? ((clientX - box.left) / box.width) * 100 : ((clientY - box.top) / box.height) * 100);
    const stop = new AbortController();
    this.element.addEventListener('pointermove', onMove, { signal: stop.signal });
    for (const end of ['pointerup', 'pointercancel'] as const)
      this.element.addEventListener(end, () => stop.abort(), { signal: stop.signal });
  }

  private press(event: KeyboardEvent): void {
    const back = this.isWide ? 'ArrowLeft' : 'ArrowUp';
    const forward = this.isWide ? 'ArrowRight' : 'ArrowDown';
    const target = { [back]: this.share - step, [forward]: this.share + step, Home: min, End: max }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    this.move(target);
  }
}
