import { randomInt } from 'node:crypto';

/** Where ids begin: within what V8 and servers keep in 31 bits, with room for half a billion requests. */
const minFirstId = 1 << 16;
const maxFirstId = 1 << 29;

/** Places of a new table, and how many a table that was emptied may keep; powers of two. */
const fewPlaces = 8;
const manyPlaces = 1_024;

/**
 * The open requests of one peer, by the ids that it gave them. Each has its place in one array, and an id is one whose
 * place is free. A `Map` with as much coming and going makes a new table for every few requests, and V8 keeps each of the old
 * ones, with all requests that it held, as long as the one before it: garbage collections take twenty times as long.
 */
export class RequestTable<Request extends { readonly id: number }> {
  private places: (Request | undefined)[] = free(fewPlaces);
  private lastId: number;
  private count = 0;

  /** @param firstId default random: the other side cannot answer a request that it has not read. */
  constructor(private readonly firstId: number = randomInt(minFirstId, maxFirstId)) {
    this.lastId = firstId - 1;
  }

  /** Open requests. */
  get size(): number {
    return this.count;
  }

  /** An id for a request that is about to be added: larger than all before, never used again. */
  nextId(): number {
    if (this.count * 2 >= this.places.length) this.grow();
    const mask = this.places.length - 1;
    do this.lastId++;
    while (this.places[this.lastId & mask] !== undefined);
    return this.lastId;
  }

  /** Takes the place of one with the same id. */
  add(request: Request): void {
    const { id } = request;
    let there = this.places[id & (this.places.length - 1)];
    // Others may have been added since the id was given.
    while (there !== undefined && there.id !== id) {
      this.grow();
      there = this.places[id & (this.places.length - 1)];
    }
    if (there === undefined) this.count++;
    this.places[id & (this.places.length - 1)] = request;
  }

  /** The request that went out with `id`, which the other side says and which may be anything. */
  get(id: unknown): Request | undefined {
    if (typeof id !== 'number') return undefined;
    const request = this.places[id & (this.places.length - 1)];
    return request?.id === id ? request : undefined;
  }

  /** Whether a request has ever had this id, open or not; a later answer to one that ended is no surprise. */
  hasIssued(id: unknown): boolean {
    return typeof id === 'number' && Number.isInteger(id) && id >= this.firstId && id <= this.lastId;
  }

  /** Returns false when it was not there. */
  delete(request: Request): boolean {
    const place = request.id & (this.places.length - 1);
    if (this.places[place] !== request) return false;
    this.places[place] = undefined;
    this.count--;
    if (this.count === 0 && this.places.length > manyPlaces) this.places = free(fewPlaces);
    return true;
  }

  /** All of them, in no order; a copy. */
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
