/**
 * A trace as a view reads it: the lines that match a filter, by position. Positions only increase until the filter
 * changes, even when the oldest lines are dropped, so that a view does not scroll. The filter runs in slices of at most
 * 8 ms.
 */
import type { Disposable } from '../base/disposable.js';
import { Emitter } from '../base/event.js';
import type { TraceLog } from './traceLog.js';
import type { Direction, TraceEntry } from './traceMessage.js';

export interface TraceFilter {
  /** The text to search for in the message, its method or its ID, ignoring case. If it is empty, all lines match. */
  text: string;
  /** The exact method. If it is empty, all methods match. */
  method: string;
  errorsOnly: boolean;
  direction?: Direction;
}

const sliceMs = 8;
/** Number of lines between two checks of the clock. */
const linesPerLook = 64;

export const noFilter: TraceFilter = { text: '', method: '', errorsOnly: false };

export class TraceWindow implements Disposable {
  private readonly changes = new Emitter<void>();
  /** Fired when lines were added or dropped, and after each slice of a search. */
  readonly onDidChange = this.changes.event;
  private readonly listener: Disposable;
  private current: TraceFilter = noFilter;
  private needle = '';
  private isFiltering = false;
  /** The numbers of the matching lines, and the position of the first one. */
  private matches: number[] = [];
  private base = 0;
  /** The number of the next line that the filter checks. */
  private next = 0;
  private isScheduled = false;
  private isDisposed = false;
  /** While paused: the number after that of the last line that is shown. */
  private frozenAt: number | undefined;

  constructor(
    readonly log: TraceLog,
    private readonly defer: (work: () => void) => unknown = setImmediate,
  ) {
    this.listener = log.onDidChange(() => this.lineCame());
  }

  get filter(): TraceFilter {
    return this.current;
  }

  /** Whether a filter is set that can hide lines. */
  get isFiltered(): boolean {
    return this.isFiltering;
  }

  /** True until the filter has checked every line. */
  get isScanning(): boolean {
    return this.isFiltering && this.next < this.endSeq;
  }

  get isPaused(): boolean {
    return this.frozenAt !== undefined;
  }

  /** Number of lines that were added since the pause began. */
  get waiting(): number {
    return this.frozenAt === undefined ? 0 : this.log.end - this.frozenAt;
  }

  /** Position of the oldest line. */
  get first(): number {
    if (!this.isFiltering) return Math.min(this.log.first, this.endSeq);
    this.dropForgotten();
    return this.base;
  }

  /** The position after that of the newest line. */
  get end(): number {
    if (!this.isFiltering) return this.endSeq;
    this.dropForgotten();
    return this.base + this.matches.length;
  }

  /** The lines at the positions `from` up to, but not including, `to`, as far as they exist. */
  rows(from: number, to: number): { position: number; entry: TraceEntry }[] {
    const rows: { position: number; entry: TraceEntry }[] = [];
    for (let position = Math.max(from, this.first); position < Math.min(to, this.end); position++) {
      const entry = this.log.get(this.isFiltering ? (this.matches[position - this.base] ?? -1) : position);
      if (entry) rows.push({ position, entry });
    }
    return rows;
  }

  /** The position of a line; undefined if the line does not match the filter or was dropped. */
  positionOf(seq: number): number | undefined {
    if (!this.isFiltering) return this.log.get(seq) && seq < this.endSeq ? seq : undefined;
    this.dropForgotten();
    let low = 0;
    let high = this.matches.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.matches[middle] ?? 0) < seq) low = middle + 1;
      else high = middle;
    }
    return this.matches[low] === seq ? this.base + low : undefined;
  }

  /** Sets the filter and restarts the positions. */
  setFilter(filter: TraceFilter): void {
    this.current = filter;
    this.needle = filter.text.toLowerCase();
    this.isFiltering =
      filter.text !== '' || filter.method !== '' || filter.errorsOnly || filter.direction !== undefined;
    this.matches = [];
    this.base = 0;
    this.next = this.log.first;
    this.scheduleScan();
    this.changes.fire();
  }

  /**
   * Starts or ends a pause, during which new lines are not shown. No lines are lost, unless the log drops them because
   * of its limits.
   */
  pause(isPaused: boolean): void {
    this.frozenAt = isPaused ? (this.frozenAt ?? this.log.end) : undefined;
    this.scheduleScan();
    this.changes.fire();
  }

  dispose(): void {
    this.isDisposed = true;
    this.listener.dispose();
    this.changes.dispose();
  }

  private get endSeq(): number {
    return Math.max(Math.min(this.log.end, this.frozenAt ?? Infinity), 0);
  }

  private lineCame(): void {
    this.scheduleScan();
    this.changes.fire();
  }

  private scheduleScan(): void {
    if (this.isScheduled || this.isDisposed || !this.isScanning) return;
    this.isScheduled = true;
    this.defer(() => {
      this.isScheduled = false;
      if (this.isDisposed) return;
      this.scan();
      this.scheduleScan();
      this.changes.fire();
    });
  }

  private scan(): void {
    const deadline = performance.now() + sliceMs;
    this.next = Math.max(this.next, this.log.first);
    for (let looked = 1; this.next < this.endSeq; looked++) {
      const entry = this.log.get(this.next++);
      if (entry && this.passes(entry)) this.matches.push(entry.seq);
      // The clock is also checked after a long text, because searching it takes as long as many short ones.
      if ((looked % linesPerLook === 0 || (entry?.text.length ?? 0) > 4_096) && performance.now() > deadline) return;
    }
  }

  private passes(entry: TraceEntry): boolean {
    const { method, errorsOnly, direction } = this.current;
    if (method !== '' && entry.method !== method) return false;
    if (errorsOnly && !entry.isError) return false;
    if (direction !== undefined && entry.direction !== direction) return false;
    return (
      this.needle === '' ||
      [entry.method ?? '', String(entry.id ?? ''), entry.text].some((text) => text.toLowerCase().includes(this.needle))
    );
  }

  /**
   * Removes the matches that the log has dropped. This is done when positions are read, and not when a message arrives,
   * so that a flood of messages does not copy the list each time.
   */
  private dropForgotten(): void {
    const { first } = this.log;
    let gone = 0;
    while (gone < this.matches.length && (this.matches[gone] ?? 0) < first) gone++;
    if (gone === 0) return;
    this.matches.splice(0, gone);
    this.base += gone;
  }
}
