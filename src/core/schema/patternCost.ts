/**
 * Estimates the time of a regular expression from its source. `degree` is how the time grows with the length of the
 * text: 0 constant, 1 linear, 2 quadratic …, Infinity when unknown (a repeated group, a back-reference, a look-around,
 * or more than 10 choices). `steps` is the number of steps that fixed repetitions and choices take at one position:
 * `[ab]{4000}c` takes 4,000 steps at each position of the text, and `a?b?c?d` eight. The estimate is an upper bound: it
 * may be too high, but never too low.
 */
export function patternCost(source: string): { degree: number; steps: number } {
  // If there is no leading anchor, the engine tries again at every position.
  let degree = source.startsWith('^') && !hasTopLevelChoice(source) ? 0 : 1;
  // Number of choices. Each may double the number of ways to match, and a dozen in sequence is as slow as a nested
  // repetition.
  let choices = 0;
  let steps = 1;
  for (let i = 0; i < source.length; i++) {
    const char = source[i];
    if (char === '\\') {
      const next = source[i + 1] ?? '';
      if ((next >= '1' && next <= '9') || next === 'k') return unknown;
      i++;
    } else if (char === '[') {
      i = endOfClass(source, i);
    } else if (char === '|') {
      choices++;
    } else if (char === '(') {
      if (source[i + 1] === '?' && source[i + 2] !== ':' && !/^\?<[A-Za-z]/.test(source.slice(i + 1, i + 4)))
        return unknown;
    } else if (char === '*' || char === '+' || char === '{' || char === '?') {
      const repeat = repeatAt(source, i);
      if (repeat === undefined) continue;
      if (source[i - 1] === ')' && !isEscaped(source, i - 1) && repeat.max > 1) return unknown;
      const spread = repeat.max - repeat.min;
      steps += repeat.min;
      if (spread > 8) degree++;
      else choices += spread;
      i = repeat.end;
    }
  }
  return choices > maxChoices ? unknown : { degree, steps: steps * 2 ** choices };
}

const maxChoices = 10;
const unknown = { degree: Infinity, steps: Infinity };

function hasTopLevelChoice(source: string): boolean {
  let depth = 0;
  for (let i = 0; i < source.length; i++) {
    const char = source[i];
    if (char === '\\') i++;
    else if (char === '[') i = endOfClass(source, i);
    else if (char === '(') depth++;
    else if (char === ')') depth--;
    else if (char === '|' && depth === 0) return true;
  }
  return false;
}

function endOfClass(source: string, start: number): number {
  let i = start + 1;
  while (i < source.length && source[i] !== ']') i += source[i] === '\\' ? 2 : 1;
  return i;
}

function isEscaped(source: string, index: number): boolean {
  let slashes = 0;
  for (let i = index - 1; i >= 0 && source[i] === '\\'; i--) slashes++;
  return slashes % 2 === 1;
}

/**
 * The quantifier at `index`: its bounds and its last character. Undefined if there is a plain character or the `?:` of
 * a group at `index`.
 */
function repeatAt(source: string, index: number): { min: number; max: number; end: number } | undefined {
  const lazy = (end: number) => (source[end + 1] === '?' ? end + 1 : end);
  switch (source[index]) {
    case '*':
      return { min: 0, max: Infinity, end: lazy(index) };
    case '+':
      return { min: 1, max: Infinity, end: lazy(index) };
    case '?':
      return source[index - 1] === '(' ? undefined : { min: 0, max: 1, end: lazy(index) };
    default: {
      const bounds = /^\{(\d+)(,(\d*))?\}/.exec(source.slice(index, index + 32));
      if (bounds === null) return undefined;
      const min = Number(bounds[1]);
      const max = bounds[2] === undefined ? min : bounds[3] === '' ? Infinity : Number(bounds[3]);
      return { min, max, end: lazy(index + bounds[0].length - 1) };
    }
  }
}
