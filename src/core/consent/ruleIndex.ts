/** What a call is looked up by. */
export interface LookedUp {
  server: string;
  tool: string;
  /** What the rules look at in its arguments, by place. */
  values: readonly unknown[];
}

/** A condition that can be looked up: a rule with it fits no call that is not found by it. */
export type Condition =
  | { kind: 'server'; name: string }
  | { kind: 'tool'; name: string }
  /** The tool's name begins so. */
  | { kind: 'toolBeginning'; text: string }
  /** The value is this text, number, boolean or null. */
  | { kind: 'value'; place: number; value: unknown }
  /** The value begins so. What a pattern cannot tell of a value counts as found. */
  | { kind: 'beginning'; place: number; text: string };

/** Of longer texts patterns may not be able to tell. */
const maxSureText = 2_000;

/** Things that begin with a text, found by the text. */
class Beginnings<T> {
  private readonly byText = new Map<string, T[]>();
  private readonly lengths = new Set<number>();

  bucket(text: string): T[] {
    this.lengths.add(text.length);
    return bucketOf(this.byText, text);
  }

  /** @param text undefined where it cannot be told what it begins with. */
  *of(text: string | undefined): Iterable<readonly T[]> {
    if (text === undefined) {
      yield* this.byText.values();
      return;
    }
    for (const length of this.lengths) {
      const found = length <= text.length ? this.byText.get(text.slice(0, length)) : undefined;
      if (found) yield found;
    }
  }
}

/**
 * Finds the rules that can be about a call without a look at the others. Each is filed once, by the one of its conditions
 * that the fewest share so far; one without any is always found. What is found is to be looked at in full.
 */
export class RuleIndex<T> {
  private readonly always: T[] = [];
  private readonly servers = new Map<string, T[]>();
  private readonly tools = new Map<string, T[]>();
  private readonly toolBeginnings = new Beginnings<T>();
  private readonly values: (Map<unknown, T[]> | undefined)[] = [];
  private readonly beginnings: (Beginnings<T> | undefined)[] = [];

  add(rule: T, conditions: readonly Condition[]): void {
    let fewest: T[] | undefined;
    for (const condition of conditions) {
      const bucket = this.bucketFor(condition);
      if (!fewest || bucket.length < fewest.length) fewest = bucket;
    }
    (fewest ?? this.always).push(rule);
  }

  /** Buckets of rules, each rule in one of them at most. */
  *find({ server, tool, values }: LookedUp): Iterable<readonly T[]> {
    yield this.always;
    yield this.servers.get(server) ?? [];
    yield this.tools.get(tool) ?? [];
    yield* this.toolBeginnings.of(sureText(tool));
    for (const [place, value] of values.entries()) {
      // What is not there passes no test.
      if (value === undefined) continue;
      yield this.values[place]?.get(value) ?? [];
      const beginnings = this.beginnings[place];
      if (beginnings) yield* beginnings.of(sureText(value));
    }
  }

  private bucketFor(condition: Condition): T[] {
    switch (condition.kind) {
      case 'server':
        return bucketOf(this.servers, condition.name);
      case 'tool':
        return bucketOf(this.tools, condition.name);
      case 'toolBeginning':
        return this.toolBeginnings.bucket(condition.text);
      case 'value':
        return bucketOf((this.values[condition.place] ??= new Map<unknown, T[]>()), condition.value);
      case 'beginning':
        return (this.beginnings[condition.place] ??= new Beginnings()).bucket(condition.text);
    }
  }
}

/** The text that patterns are held against; undefined where they cannot tell. */
function sureText(value: unknown): string | undefined {
  if (typeof value === 'object' && value !== null) return undefined;
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.length > maxSureText ? undefined : text;
}

function bucketOf<K, T>(map: Map<K, T[]>, key: K): T[] {
  let bucket = map.get(key);
  if (!bucket) map.set(key, (bucket = []));
  return bucket;
}
