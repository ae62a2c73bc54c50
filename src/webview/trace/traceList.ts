import { t } from '@vscode/l10n';
import type { TraceRow, TraceStatus } from '../../shared/tracePage.js';
import { el, setAttributes } from '../page/dom.js';
import { drawRow } from './traceRow.js';

interface TraceListOptions {
  rows: (from: number, to: number) => Promise<TraceRow[]>;
  /** Called when the user presses Enter or double-clicks. */
  open: (seq: number) => void;
  /** Called when the selection moves. */
  choose: (seq: number) => void;
  close: () => void;
  onFollow: (isFollowing: boolean) => void;
}

/** Row height in CSS pixels, as in the styles. */
const rowHeight = 22;
/** Number of rows that are drawn above and below the visible ones. */
const margin = 15;
/**
 * Maximum number of additional rows that are loaded in the scroll direction, because scrolling continues while rows are
 * loaded. A longer movement counts as a jump.
 */
const maxAhead = 45;

/**
 * The messages as a grid that draws only visible rows (WAI-ARIA grid pattern, one tab stop; rows have their index in
 * the whole list). Rows are requested by position, one window at a time.
 */
export class TraceList {
  readonly element: HTMLElement;
  private readonly body = el('div', { class: 'rows', attributes: { role: 'rowgroup' } });
  private readonly scroller: HTMLElement;
  private first = 0;
  private end = 0;
  private rows: readonly TraceRow[] = [];
  private selected: { position: number; seq: number } | undefined;
  private isFollowing = true;
  /** The first visible row at the last request. */
  private lastTop = 0;
  private isAsking = false;
  private isStale = false;
  /** The last programmatic scroll position. The scroll event that it causes is not an action of the user. */
  private ownTop = -1;
  private filterKey = '';

  constructor(private readonly options: TraceListOptions) {
    const names = [t('Time'), t('Direction'), t('Method'), t('ID'), t('Content'), t('Latency'), t('Size')];
    const head = el(
      'div',
      { class: 'row head', attributes: { role: 'row', 'aria-rowindex': 1 } },
      ...names.map((name, index) =>
        el(
          'span',
          { class: `cell cell-${index}`, title: name, attributes: { role: 'columnheader' } },
          index === 1 ? el('span', { class: 'spoken' }, name) : name,
        ),
      ),
    );
    this.scroller = el(
      'div',
      {
        class: 'list',
        attributes: { role: 'grid', tabindex: 0, 'aria-label': t('Messages'), 'aria-colcount': names.length },
        on: {
          scroll: () => this.scrolled(),
          keydown: (event) => this.press(event),
          click: (event) => this.clicked(event),
          dblclick: () => this.openSelected(),
        },
      },
      el('div', { class: 'head-group', attributes: { role: 'rowgroup' } }, head),
      this.body,
    );
    this.element = el('section', { class: 'side list-side', attributes: { 'aria-label': t('Trace') } }, this.scroller);
    new ResizeObserver(() => this.refresh()).observe(this.scroller);
  }

  show({ first, end, filter }: TraceStatus): void {
    const key = JSON.stringify(filter);
    if (key !== this.filterKey) {
      this.filterKey = key;
      this.selected = undefined;
      this.first = first;
      this.scrollTo(0);
    }
    const gone = first - this.first;
    this.first = first;
    this.end = end;
    this.body.style.height = `${(end - first) * rowHeight}px`;
    setAttributes(this.scroller, { 'aria-rowcount': end - first + 1 });
    if (this.isFollowing) this.scrollTo(Math.max(0, (end - first) * rowHeight - this.viewHeight));
    // The oldest messages were dropped, so the scroll position is adjusted to keep the visible rows in place.
    else if (gone > 0) this.scrollTo(Math.max(0, this.scroller.scrollTop - gone * rowHeight));
    this.refresh();
  }

  follow(isFollowing: boolean): void {
    if (isFollowing !== this.isFollowing) this.options.onFollow(isFollowing);
    this.isFollowing = isFollowing;
    if (isFollowing) this.scrollTo(Math.max(0, (this.end - this.first) * rowHeight - this.viewHeight));
    this.refresh();
  }

  focus(): void {
    this.scroller.focus();
    if (!this.selected)
      this.choose(this.isFollowing ? this.end - 1 : this.first + Math.ceil(this.scroller.scrollTop / rowHeight));
  }

  /** Selects a row and scrolls to it. */
  select(position: number, seq: number): void {
    this.selected = { position, seq };
    this.reveal(position);
    this.draw();
  }

  private get viewHeight(): number {
    // The column headers stay visible and take up the height of one row.
    return Math.max(rowHeight, this.scroller.clientHeight - rowHeight);
  }

  private scrollTo(top: number): void {
    this.scroller.scrollTop = top;
    this.ownTop = this.scroller.scrollTop;
  }

  private scrolled(): void {
    const { scrollTop } = this.scroller;
    if (Math.abs(scrollTop - this.ownTop) > 1) {
      this.ownTop = -1;
      const isAtEnd = scrollTop + this.viewHeight >= (this.end - this.first) * rowHeight - 2;
      if (isAtEnd !== this.isFollowing) {
        this.isFollowing = isAtEnd;
        this.options.onFollow(isAtEnd);
      }
    }
    this.markBehind();
    this.refresh();
  }

  /** Shows a pattern while no visible row has arrived yet. */
  private markBehind(): void {
    const top = this.first + Math.floor(this.scroller.scrollTop / rowHeight);
    const isSeen = ({ position }: TraceRow) => position >= top && position <= top + this.viewHeight / rowHeight;
    this.body.classList.toggle('behind', this.end > this.first && !this.rows.some(isSeen));
  }

  /**
   * Requests the visible rows. Only one request runs at a time; after it, the rows at the current position are
   * requested.
   */
  private refresh(): void {
    if (this.isAsking) {
      this.isStale = true;
      return;
    }
    const top = this.first + Math.floor(this.scroller.scrollTop / rowHeight);
    const moved = top - this.lastTop;
    this.lastTop = top;
    const isJump = Math.abs(moved) > maxAhead;
    // After a jump, only the visible rows are loaded first, including partially visible ones.
    const around = isJump ? 1 : margin;
    const ahead = isJump ? 0 : Math.min(maxAhead, Math.abs(moved) * 3);
    const from = Math.max(this.first, top - around - (moved < 0 ? ahead : 0));
    const to = Math.min(this.end, top + Math.ceil(this.viewHeight / rowHeight) + around + (moved > 0 ? ahead : 0));
    if (to <= from) {
      this.rows = [];
      this.draw();
      return;
    }
    this.isAsking = true;
    this.options.rows(from, Math.min(to, from + 400)).then(
      (rows) => {
        this.rows = rows;
        this.answered();
      },
      () => this.answered(),
    );
  }

  private answered(): void {
    this.isAsking = false;
    this.draw();
    if (!this.isStale) return;
    this.isStale = false;
    this.refresh();
  }

  private draw(): void {
    const chosen = this.selected;
    // The element of an unchanged row is reused, so that hover and click work while rows are updated.
    const known = new Map(
      [...this.body.children].map((child) => [(child as HTMLElement).dataset['key'] ?? '', child as HTMLElement]),
    );
    const lines = this.rows
      .filter(({ position }) => position >= this.first)
      .map((row) => {
        const key = JSON.stringify([row.seq, row.outcome, row.position]);
        const element = known.get(key) ?? drawRow(row);
        element.dataset['key'] = key;
        element.style.transform = `translateY(${(row.position - this.first) * rowHeight}px)`;
        setAttributes(element, {
          'aria-rowindex': row.position - this.first + 2,
          'aria-selected': row.seq === chosen?.seq ? 'true' : 'false',
        });
        return element;
      });
    this.place(lines);
    this.markBehind();
    const active = lines.find((line) => line.getAttribute('aria-selected') === 'true');
    setAttributes(this.scroller, { 'aria-activedescendant': active?.id });
  }

  /** Puts the rows in order for screen readers. Unchanged rows are not moved, to avoid a new layout. */
  private place(lines: readonly HTMLElement[]): void {
    const kept = new Set<Element>(lines);
    for (const child of [...this.body.children]) if (!kept.has(child)) child.remove();
    let at = this.body.firstElementChild;
    for (const line of lines) {
      if (line === at) at = at.nextElementSibling;
      else this.body.insertBefore(line, at);
    }
  }

  private choose(position: number): void {
    const bounded = Math.min(this.end - 1, Math.max(this.first, position));
    if (bounded < this.first) return;
    this.reveal(bounded);
    const row = this.rows.find((candidate) => candidate.position === bounded);
    if (row) return this.chosen(row);
    // The row is not drawn yet, so it is requested alone.
    void this.options.rows(bounded, bounded + 1).then(([found]) => found && this.chosen(found));
  }

  private chosen({ position, seq }: TraceRow): void {
    this.selected = { position, seq };
    this.draw();
    this.options.choose(seq);
  }

  private reveal(position: number): void {
    const top = (position - this.first) * rowHeight;
    const { scrollTop } = this.scroller;
    if (top < scrollTop) this.scroller.scrollTop = top;
    else if (top + rowHeight > scrollTop + this.viewHeight) this.scroller.scrollTop = top + rowHeight - this.viewHeight;
  }

  private clicked({ target }: MouseEvent): void {
    const line = target instanceof Element ? target.closest<HTMLElement>('.row[data-seq]') : null;
    const row = this.rows.find(({ seq }) => String(seq) === line?.dataset['seq']);
    if (row) this.chosen(row);
  }

  private openSelected(): void {
    if (this.selected) this.options.open(this.selected.seq);
  }

  private press(event: KeyboardEvent): void {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const page = Math.max(1, Math.floor(this.viewHeight / rowHeight) - 1);
    const now = this.selected?.position ?? this.first - 1;
    const next = {
      ArrowDown: now + 1,
      ArrowUp: now - 1,
      PageDown: now + page,
      PageUp: now - page,
      Home: this.first,
      End: this.end - 1,
    }[event.key];
    if (next !== undefined) this.choose(next);
    else if (event.key === 'Enter') this.openSelected();
    else if (event.key === 'Escape') this.options.close();
    else return;
    event.preventDefault();
  }
}
