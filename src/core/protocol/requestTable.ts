import { randomInt } from 'node:crypto';

/**
 * The range of first IDs: within the 31 bits that V8 and servers handle efficiently, with room for half a billion
 * requests.
 */
const minFirstId = 1 << 16;
const maxFirstId = 1 << 29;

/**
 * The size of a new table, and the size above which an emptied table is replaced by a new one. Both are powers of two.
 */
const fewPlaces = 8;
const manyPlaces = 1_024;

/**
 * The open requests of one peer, by the IDs that it assigned. Each request has a slot in one array, and an ID is
 * assigned only when its slot is free. A `Map` with the same turnover allocates a new table every few requests, and V8
 * frees the replaced tables and their requests late, so garbage collection takes twenty times as long.
 */
export class RequestTable<Request extends { readonly id: number }> {
  private places: (Request | undefined)[] = free(fewPlaces);
  private lastId: number;
  private count = 0;

  /**
   * @param firstId default random, so that the other side cannot guess the ID and answer a request that it has not
   * read.
   */
  constructor(private readonly firstId: number = randomInt(minFirstId, maxFirstId)) {
    this.lastId = firstId - 1;
  }

  /** Number of open requests. */
  get size(): number {
    return this.count;
  }

  /** An ID for a request that is about to be added: larger than all previous IDs, and never reused. */
  nextId(): number {
    if (this.count * 2 >= this.places.length) this.grow();
    const mask = this.places.length - 1;
    do this.lastId++;
    while (this.places[this.lastId & mask] !== undefined);
    return this.lastId;
  }

  /** Adds a request; replaces one with the same ID. */
  add(request: Request): void {
    const { id } = request;
    let there = this.places[id & (this.places.length - 1)];
    // The slot may have been taken since the ID was assigned.
    while (there !== undefined && there.id !== id) {
      this.grow();
      there = this.places[id & (this.places.length - 1)];
    }
    if (there === undefined) this.count++;
    this.places[id & (this.places.length - 1)] = request;
  }

  /** The open request with this ID. The ID comes from the other side and may be any value. */
  get(id: unknown): Request | undefined {
    if (typeof id !== 'number') return undefined;
    const request = this.places[id & (this.places.length - 1)];
    return request?.id === id ? request : undefined;
  }

  /**
   * Whether the ID is in the range of the IDs assigned so far. A response with such an ID may be late, which is normal.
   */
  hasIssued(id: unknown): boolean {
    return typeof id === 'number' && Number.isInteger(id) && id >= this.firstId && id <= this.lastId;
  }

  /** Removes a request; returns false if it was not in the table. */
  delete(request: Request): boolean {
    const place = request.id & (this.places.length - 1);
    if (this.places[place] !== request) return false;
    this.places[place] = undefined;
    this.count--;
    if (this.count === 0 && this.places.length > manyPlaces) this.places = free(fewPlaces);
    return true;
  }

  /** A copy of all open requests, in no particular order. */
  all(): Request[] {
    return this.places.filter((request) => request !== undefined);
  }

  private grow(): void {
    const larger = free<Request>(this.places.length * 2);
    for (const request of this.all()) larger[request.id & (larger.length - 1)] = request;
    this.places = larger;
  }
}

function free<Request>(places: number): (Request | undefined)[] {
  return new Array<Request | undefined>(places).fill(undefined);
}
