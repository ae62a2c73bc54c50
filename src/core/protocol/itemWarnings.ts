/** Maximum number of items of one message that are described. */
const maxDescribed = 10;

/** Describes an item that is left out. Called only if the text is written. */
export type Describe = () => string;

/**
 * Warnings about the items of one message that are left out: the first ten are described, the others are counted. A
 * message may have a million such items, and a text for each would take seconds.
 */
export class ItemWarnings {
  private count = 0;

  constructor(private readonly warn: (line: string) => void) {}

  add(describe: Describe): void {
    if (++this.count <= maxDescribed) this.warn(describe());
  }

  /** Writes how many items were not described, if any. @param ofWhat the items, e.g. `items of tools/list`. */
  end(ofWhat: string): void {
    const more = this.count - maxDescribed;
    if (more > 0) this.warn(`Left out ${more.toLocaleString('en')} more ${ofWhat}.`);
  }
}
