/** A text in a JSON value: a string, or the name of a member. */
export interface NestedText {
  text: string;
  isName: boolean;
}

/** All texts in a JSON value, in their order. Takes linear time, and values can have any depth. */
export function* nestedTexts(value: unknown): Generator<NestedText> {
  const left: { value: unknown; isName: boolean }[] = [{ value, isName: false }];
  for (let next = left.pop(); next; next = left.pop()) {
    const { value: part, isName } = next;
    if (typeof part === 'string') yield { text: part, isName };
    else if (Array.isArray(part))
      for (const item of (part as unknown[]).toReversed()) left.push({ value: item, isName: false });
    else if (typeof part === 'object' && part !== null)
      for (const [name, member] of Object.entries(part).reverse())
        left.push({ value: member, isName: false }, { value: name, isName: true });
  }
}
