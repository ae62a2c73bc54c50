import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { patternCost } from '../../../src/core/schema/patternCost.js';

test('[X2] the cost of a pattern is never underestimated', () => {
  const expected: [string, number][] = [
    ['^abc$', 0],
    ['^\\d{4}-\\d{2}-\\d{2}$', 0],
    ['^[a-z]+$', 1],
    ['abc', 1],
    ['[a-z]+', 2],
    ['^a+b*$', 2],
    ['^[*+?(]{3}$', 0],
    ['^\\(+$', 1],
    ['^(?:abc)?$', 0],
    ['^(?<year>\\d{4})$', 0],
    ['^a|b+$', 2],
    ['^(?:a|b)+?', Infinity],
    ['^a{2,}$', 1],
    ['^a{1,100}$', 1],
    ['^a{,3}$', 0],
    ['^(a+)+$', Infinity],
    ['^(a|a)*$', Infinity],
    ['^(ab){2}$', Infinity],
    ['^(\\w+\\s?)*$', Infinity],
    ['^(a)\\1$', Infinity],
    ['^(?=a+)b$', Infinity],
    ['^(?<!a+)b$', Infinity],
    [`^${'a?'.repeat(30)}$`, Infinity],
    [`^${'\\(?'.repeat(30)}$`, Infinity],
    [`^(?:a|a){${'0'.repeat(40)},99}b`, Infinity],
    [`^a{${'0'.repeat(40)},99}b`, 1],
    [`^a{${'9'.repeat(310)}}|b`, Infinity],
    [`^a{0,${'9'.repeat(310)}}b`, 1],
    ['^a{99999999999999999}b', Infinity],
    [`(?:${'(?:a|b)?'.repeat(2_000)})?`, Infinity],
    [`^(?:${Array.from({ length: 100 }, (_, at) => `a${at}`).join('|')})$`, 0],
    [`^(?:(?:a|b|c){0,1}(?:d|e)){0}$`, 0],
    [`^${'(?:a|b|c)'.repeat(7)}$`, Infinity],
  ];
  assert.deepEqual(
    expected.map(([source]) => [source, patternCost(source).degree]),
    expected,
  );
  assert.deepEqual([patternCost('^a*').degree, patternCost('^a*', 'm').degree], [1, 2]);
});

test('[X2] characters, fixed repetitions and choices count as steps at each position', () => {
  const expected: [string, number][] = [
    ['abc', 3],
    ['^a*$', 3],
    ['[ab]{4000}c', 4_001],
    ['a{10,}b{5}', 15],
    ['a?b?c?d', 32],
    ['a{99}(b|c)', 202],
    ['(?:ab|c|d?)e', 20],
    ['(?:ab|c|d)?e', 20],
    ['(a|b)*', Infinity],
  ];
  assert.deepEqual(
    expected.map(([source]) => [source, patternCost(source).steps]),
    expected,
  );
});

/** A part of a pattern: its source, and a function that tries it at a place and calls `next` for each end. */
interface Part {
  source: string;
  match: (text: string, at: number, next: (at: number) => void, step: () => void) => void;
}

const character = fc.constantFrom('a', 'b', '[ab]', '\\(', '\\)', '.', '\\?').map((source): Part => {
  const one = new RegExp(`^${source}$`);
  return {
    source,
    match(text, at, next, step) {
      step();
      if (one.test(text.charAt(at))) next(at + 1);
    },
  };
});

function repeated({ source, match }: Part, min: number, max: number, quantifier: string): Part {
  return {
    source: source + quantifier,
    match(text, at, next, step) {
      const again = (count: number, from: number): void => {
        if (count < max) match(text, from, (end) => end > from && again(count + 1, end), step);
        if (count >= min) next(from);
      };
      again(0, at);
    },
  };
}

const quantifiers = fc.oneof(
  fc.constantFrom<[number, number, string]>([0, Infinity, '*'], [1, Infinity, '+?'], [0, 1, '?'], [0, 1, '??']),
  fc
    .tuple(fc.nat(3), fc.nat(12))
    .map(([min, more]): [number, number, string] => [
      min,
      min + more,
      `{${String(min).padStart(more * 3, '0')},${min + more}}`,
    ]),
);

const { part } = fc.letrec<{ part: Part; sequence: Part }>((tie) => ({
  sequence: fc.array(tie('part'), { minLength: 1, maxLength: 5 }).map((parts) => ({
    source: parts.map(({ source }) => source).join(''),
    match: (text, at, next, step) => {
      const from = (index: number, place: number): void => {
        const item = parts[index];
        if (item) item.match(text, place, (end) => from(index + 1, end), step);
        else next(place);
      };
      from(0, at);
    },
  })),
  part: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    character,
    fc.tuple(character, quantifiers).map(([one, [min, max, quantifier]]) => repeated(one, min, max, quantifier)),
    fc
      .tuple(tie('sequence'), fc.constantFrom('(', '(?:', '(?<name>'), fc.boolean())
      .map(([{ source, match }, open, isOptional]) =>
        isOptional
          ? repeated({ source: `${open}${source})`, match }, 0, 1, '?')
          : { source: `${open}${source})`, match },
      ),
    fc.tuple(tie('sequence'), tie('sequence')).map(([one, other]) => ({
      source: `(?:${one.source}|${other.source})`,
      match: (text: string, at: number, next: (at: number) => void, step: () => void) => {
        one.match(text, at, next, step);
        other.match(text, at, next, step);
      },
    })),
  ),
}));

test('[X2] a search that tries all ways needs at most the estimated steps', () => {
  fc.assert(
    fc.property(
      fc.array(part, { minLength: 1, maxLength: 6 }),
      fc.boolean(),
      fc.string({ unit: fc.constantFrom('a', 'a', 'b', '(', ')'), maxLength: 12 }),
      (parts, isAnchored, text) => {
        const { degree, steps } = patternCost((isAnchored ? '^' : '') + parts.map(({ source }) => source).join(''));
        fc.pre(degree < Infinity);
        const bound = steps * (text.length + 1) ** degree;
        let taken = 0;
        const step = () => {
          taken++;
          if (taken > bound) assert.fail(`More than ${bound} steps.`);
        };
        const from = (index: number, at: number): void => {
          // At the end of the pattern, nothing is found, so the search tries the next way.
          parts[index]?.match(text, at, (end) => from(index + 1, end), step);
        };
        for (let at = 0; at <= (isAnchored ? 0 : text.length); at++) from(0, at);
      },
    ),
    { numRuns: 3_000 },
  );
});
