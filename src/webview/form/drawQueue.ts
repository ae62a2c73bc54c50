/**
 * Number of fields, including rows, that are drawn per animation frame. This number is usually enough to fill the
 * viewport.
 */
const sliceSize = 12;

/**
 * Draws a form in slices: first the visible part, then one slice per animation frame in document order, so that visible
 * content does not move. The state of the form must not change while slices are pending. So code that changes the form,
 * or that needs all fields, first calls `finish`. Content that is added later is drawn completely.
 */
export class DrawQueue {
  /** The pending parts. Each function draws a slice and returns whether its part is complete. */
  private waiting: (() => boolean)[] = [];
  /** Number of fields that may still be drawn in this slice. For screen readers, all fields are drawn at once. */
  private room = document.body.classList.contains('vscode-using-screen-reader') ? Infinity : sliceSize;
  private readonly end = new AbortController();

  /** Draws the items in order: as many as fit into this slice now, the others later. */
  each<T extends object>(items: readonly T[], draw: (item: T) => void): void {
    let next = 0;
    const goOn = () => {
      for (let item = items[next]; item !== undefined; item = items[++next]) {
        if (this.room <= 0) return false;
        this.room--;
        draw(item);
      }
      return true;
    };
    if (!goOn()) this.waiting.push(goOn);
  }

  /** Ends the first slice, before `element` is added to the page. */
  open(element: HTMLElement): void {
    this.room = Infinity;
    if (this.waiting.length === 0) return;
    // A key press first draws all pending parts, because Tab moves to the next field that exists, and other keys scroll
    // to the end.
    window.addEventListener('keydown', () => this.finish(), { capture: true, signal: this.end.signal });
    const goOn = () => {
      this.drawSlice(sliceSize);
      if (this.waiting.length > 0) requestAnimationFrame(goOn);
    };
    requestAnimationFrame(() => {
      while (this.waiting.length > 0 && element.getBoundingClientRect().bottom < window.innerHeight)
        this.drawSlice(sliceSize);
      requestAnimationFrame(goOn);
    });
  }

  /** Draws all pending parts now. */
  finish(): void {
    this.drawSlice(Infinity);
  }

  private drawSlice(room: number): void {
    this.room = room;
    for (let first = this.waiting.shift(); first; first = this.room > 0 ? this.waiting.shift() : undefined) {
      const after = this.waiting;
      this.waiting = [];
      const isDone = first();
      // Nested parts come before the rest of their parent.
      this.waiting.push(...(isDone ? [] : [first]), ...after);
    }
    this.room = Infinity;
    if (this.waiting.length === 0) this.end.abort();
  }
}
