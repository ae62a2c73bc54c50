import { canonicalJson } from '../base/jsonText.js';

/**
 * The time that the tests of many rules share. A workspace and a client decide how long tests take, and each test is
 * limited only alone. If no time is left, tests are undecided.
 */
export class SharedTime {
  /** The JSON with sorted keys of lists and objects, because many rules compare the same value. */
  private readonly texts = new Map<object, string | undefined>();

  /** @param leftMs the time that is left, in milliseconds. Default: no limit. */
  constructor(public leftMs = Infinity) {}

  /** Begins a new decision. Forgets the texts of values, which can change. */
  renew(ms: number): void {
    this.leftMs = ms;
    this.texts.clear();
  }

  /** Runs a test, and reduces the time by what it took. */
  run(test: () => boolean | undefined): boolean | undefined {
    if (this.leftMs <= 0) return undefined;
    const began = performance.now();
    const answer = test();
    this.leftMs -= performance.now() - began;
    return answer;
  }

  /** The JSON of a value with sorted keys; undefined if it is nested too deeply. */
  textOf(value: object): string | undefined {
    if (this.texts.has(value)) return this.texts.get(value);
    let text: string | undefined;
    try {
      text = canonicalJson(value);
    } catch {
      // Too deep: equal to no other value.
    }
    this.texts.set(value, text);
    return text;
  }
}
