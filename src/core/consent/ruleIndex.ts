/** The data of a call that is used for the lookup. */
export interface LookedUp {
  server: string;
  tool: string;
  /** The argument values that rules test, by place index. */
  values: readonly unknown[];
}

/** A condition for the lookup. A rule with this condition matches only calls that satisfy it. */
export type Condition =
  | { kind: 'server'; name: string }
  | { kind: 'tool'; name: string }
  /** The tool's name begins with this text. */
  | { kind: 'toolBeginning'; text: string }
  /** The value is this text, number, boolean or null. */
  | { kind: 'value'; place: number; value: unknown }
  /** The value begins with this text. A value counts as matching if the pattern cannot be decided for it. */
  | { kind: 'beginning'; place: number; text: string };

/**
 * Maximum length, in UTF-16 code units, of a text that every kind of pattern is matched against. For a longer text, a
 * pattern can be undecided, whatever the text begins with.
 */
const maxSureText = 2_000;

/** Items by their first characters. */
class Beginnings<T> {
  private readonly byText = new Map<string, T[]>();
  private readonly lengths = new Set<number>();

  bucket(text: string): T[] {
    this.lengths.add(text.length);
    return bucketOf(this.byText, text);
  }

  /** @param text the text to look up; undefined if its beginning is unknown. */
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
 * Finds the rules that may match a call without checking the others. Each rule is stored once, under the one of its
 * conditions that has the fewest rules so far. A rule without conditions is always found. The lookup can yield rules
 * that do not match, so check each one completely.
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

  /** Yields buckets of rules; each rule is in at most one of them. */
  *find({ server, tool, values }: LookedUp): Iterable<readonly T[]> {
    yield this.always;
    yield this.servers.get(server) ?? [];
    yield this.tools.get(tool) ?? [];
    yield* this.toolBeginnings.of(sureText(tool));
    for (const [place, value] of values.entries()) {
      // A missing value passes no test.
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

/** The text that patterns are matched against; undefined if patterns cannot be decided for it. */
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
