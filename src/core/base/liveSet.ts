interface Link<T> {
  item: T | undefined;
  before: Link<T> | undefined;
  after: Link<T> | undefined;
}

/**
 * The items that are in use, in the order of their addition. For items that are used for one call, in an object that
 * exists much longer. A `Set` is rebuilt after every few removals, and V8 keeps a reference from each old table to the
 * next, so that the items of ended calls stay in memory until the next full garbage collection.
 */
export class LiveSet<T extends object> {
  private first: Link<T> | undefined;
  private last: Link<T> | undefined;
  private count = 0;

  get size(): number {
    return this.count;
  }

  /** Adds an item. Returns the function that removes it; later calls of the function have no effect. */
  add(item: T): () => void {
    const link: Link<T> = { item, before: this.last, after: undefined };
    if (this.last) this.last.after = link;
    else this.first = link;
    this.last = link;
    this.count++;
    return () => this.remove(link);
  }

  /** The items as an array, which later changes do not affect. */
  items(): T[] {
    const items: T[] = [];
    for (let link = this.first; link?.item; link = link.after) items.push(link.item);
    return items;
  }

  private remove(link: Link<T>): void {
    if (!link.item) return;
    const { before, after } = link;
    if (before) before.after = after;
    else this.first = after;
    if (after) after.before = before;
    else this.last = before;
    link.item = link.before = link.after = undefined;
    this.count--;
  }
}
