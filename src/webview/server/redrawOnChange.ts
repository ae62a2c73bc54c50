import type { Child } from '../page/dom.js';

/** A part of the page that is redrawn only when its data has changed, so that selection and focus are kept. */
export class RedrawOnChange<T> {
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
