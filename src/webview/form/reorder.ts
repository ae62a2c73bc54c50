/**
 * Moves rows of a list with the pointer or the keyboard. During a drag, the rows stay in place and a line shows the
 * target. Escape cancels the drag.
 */
export class Reorder {
  private readonly rows = new WeakMap<Element, HTMLElement>();

  constructor(
    private readonly list: HTMLElement,
    private readonly onMove: (from: number, to: number) => void,
  ) {}

  /** Lets the user move a row by its handle. */
  add(row: HTMLElement, handle: HTMLElement): void {
    this.rows.set(row, handle);
    handle.addEventListener('pointerdown', (event) => this.drag(event, row, handle));
    handle.addEventListener('keydown', (event) => this.press(event, row));
  }

  private get movable(): HTMLElement[] {
    return [...this.list.children].filter((row): row is HTMLElement => this.rows.has(row));
  }

  private press(event: KeyboardEvent, row: HTMLElement): void {
    const direction = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (direction === undefined) return;
    event.preventDefault();
    const rows = this.movable;
    const from = rows.indexOf(row);
    const to = from + direction;
    if (to >= 0 && to < rows.length) this.onMove(from, to);
  }

  private drag(event: PointerEvent, row: HTMLElement, handle: HTMLElement): void {
    if (event.button !== 0) return;
    event.preventDefault();
    handle.focus();
    handle.setPointerCapture(event.pointerId);
    const rows = this.movable;
    const from = rows.indexOf(row);
    let to = from;
    row.classList.add('dragged');
    const end = new AbortController();
    const { signal } = end;
    const mark = () => {
      rows.forEach((other, index) => {
        other.classList.toggle('drop-before', to < from && index === to);
        other.classList.toggle('drop-after', to > from && index === to);
      });
    };
    const stop = () => {
      end.abort();
      row.classList.remove('dragged');
      for (const other of rows) other.classList.remove('drop-before', 'drop-after');
    };
    handle.addEventListener(
      'pointermove',
      ({ clientY }) => {
        const over = rows.filter((other) => middleOf(other) < clientY && other !== row).length;
        if (over === to) return;
        to = over;
        mark();
      },
      { signal },
    );
    handle.addEventListener(
      'pointerup',
      () => {
        stop();
        if (to !== from) this.onMove(from, to);
      },
      { signal },
    );
    handle.addEventListener('pointercancel', stop, { signal });
    window.addEventListener(
      'keydown',
      (key) => {
        if (key.key !== 'Escape') return;
        key.preventDefault();
        stop();
      },
      { signal, capture: true },
    );
  }
}

function middleOf(element: HTMLElement): number {
  const { top, height } = element.getBoundingClientRect();
  return top + height / 2;
}
