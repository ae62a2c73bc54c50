import { el, setAttributes } from './dom.js';

const step = 2;
const min = 15;
const max = 85;

/**
 * The size of the first part in percent: `wide` if the parts are side by side, and `stacked` if one is below the other.
 */
export interface Shares {
  wide: number;
  stacked: number;
}

/**
 * The bar between two parts of `container`. The user drags it or moves it with the arrow keys. The custom properties
 * `--share` and `--stacked-share` contain the share of the first part in percent, which the styles use for columns or
 * rows.
 */
export class Splitter {
  readonly element: HTMLElement;
  private shares: Shares;
  private isUsers: boolean;

  /** @param own the share that the user has chosen; undefined until then. */
  constructor(
    private readonly container: HTMLElement,
    label: string,
    own: number | undefined,
    suggested: Shares,
    private readonly onChange: (share: number) => void,
    /** Called when the second part was maximized or restored. Absent if it cannot be maximized. */
    private readonly onMaximize?: (isMaximized: boolean) => void,
  ) {
    this.element = el('div', {
      class: 'splitter',
      attributes: { role: 'separator', tabindex: 0, 'aria-label': label, 'aria-valuemin': 0, 'aria-valuemax': max },
      on: {
        pointerdown: (event) => this.drag(event),
        keydown: (event) => this.press(event),
        dblclick: () => (onMaximize ? this.maximize(!this.isMaximized) : this.move(50)),
      },
    });
    this.isUsers = own !== undefined;
    this.shares = own === undefined ? suggested : { wide: own, stacked: own };
    this.draw();
  }

  /** Changes the shares, unless the user has chosen one. */
  suggest(shares: Shares): void {
    if (this.isUsers) return;
    this.shares = shares;
    this.draw();
  }

  get isMaximized(): boolean {
    return this.container.classList.contains('split-maximized');
  }

  /** Hides the first part, or shows it again with its previous share. */
  maximize(isMaximized: boolean): void {
    if (isMaximized === this.isMaximized) return;
    this.container.classList.toggle('split-maximized', isMaximized);
    this.draw();
    this.onMaximize?.(isMaximized);
  }

  /** Whether the parts are side by side. That depends on the width of the container, as in its styles. */
  private get isWide(): boolean {
    return getComputedStyle(this.container).getPropertyValue('--is-wide').trim() === '1';
  }

  private get share(): number {
    return this.isWide ? this.shares.wide : this.shares.stacked;
  }

  private move(to: number): void {
    this.maximize(false);
    const share = Math.min(max, Math.max(min, Math.round(to * 10) / 10));
    const isNew = share !== this.share;
    this.shares = { wide: share, stacked: share };
    this.draw();
    if (!isNew) return;
    this.isUsers = true;
    this.onChange(share);
  }

  private draw(): void {
    const { style } = this.container;
    style.setProperty('--share', String(this.shares.wide));
    style.setProperty('--stacked-share', String(this.shares.stacked));
    setAttributes(this.element, {
      'aria-valuenow': this.isMaximized ? 0 : Math.round(this.share),
      'aria-orientation': this.isWide ? 'vertical' : 'horizontal',
    });
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
    if (event.key === 'Enter' && this.onMaximize) {
      event.preventDefault();
      this.maximize(!this.isMaximized);
      return;
    }
    const back = this.isWide ? 'ArrowLeft' : 'ArrowUp';
    const forward = this.isWide ? 'ArrowRight' : 'ArrowDown';
    const target = { [back]: this.share - step, [forward]: this.share + step, Home: min, End: max }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    this.move(target);
  }
}
