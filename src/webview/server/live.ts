import type { Child } from '../page/dom.js';

/**
 * A place of the page that is drawn anew only when what it shows has changed: what somebody reads or has focused
 * stays.
 */
export class Live<T> {
  private shown: string | undefined;

  constructor(
    readonly element: HTMLElement,
    private readonly draw: (value: T) => Child[],
  ) {}

  show(value: T): void {
    const key = JSON.stringify(value);
    if (key === this.shown) return;
    this.shown = key;
    this.element.replaceChildren(...this.draw(value).filter((child) => child !== undefined && child !== false));
  }
}
