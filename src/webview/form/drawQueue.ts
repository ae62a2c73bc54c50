/** So many fields, rows included, are drawn between two frames; fewer of them seldom fill a view. */
const sliceSize = 12;

/**
 * Draws a form in slices: first what fills the view, then a slice in each frame, in the order in which it stands in the
 * page, so that nothing that is seen moves. While something waits, the form is as it was opened: whoever changes it or
 * needs all of it calls `finish` first, and whatever is drawn after the opening is drawn as a whole.
 */
export class DrawQueue {
  /** What is left of each part that was begun; each tells whether it is done. */
  private waiting: (() => boolean)[] = [];
  /** So many more may be drawn now. */
  private room = document.body.classList.contains('vscode-using-screen-reader') ? Infinity : sliceSize;
  private readonly end = new AbortController();

  /** Draws each of them, in turn: as many as there is room for now, the others later. */
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

  /** The opening is over: `element` is about to be put into the page. */
  open(element: HTMLElement): void {
    this.room = Infinity;
    if (this.waiting.length === 0) return;
    // The focus goes to the next field that there is, and keys scroll to the end.
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

  /** Draws at once what still waits. */
  finish(): void {
    this.drawSlice(Infinity);
  }

  private drawSlice(room: number): void {
    this.room = room;
    for (let first = this.waiting.shift(); first; first = this.room > 0 ? this.waiting.shift() : undefined) {
      const after = this.waiting;
      this.waiting = [];
      const isDone = first();
      // What is inside of it comes before what is left of it.
      this.waiting.push(...(isDone ? [] : [first]), ...after);
    }
    this.room = Infinity;
    if (this.waiting.length === 0) this.end.abort();
  }
}
