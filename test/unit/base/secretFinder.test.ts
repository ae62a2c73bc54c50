import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { dots, SecretFinder } from '../../../src/core/base/secretFinder.js';
import { heapBytes } from '../../support/heapBytes.js';
import { assertGrowsLinearly } from '../../support/linearWork.js';

/** The text with all secrets replaced, by comparing each of them at each place. */
function maskedSlowly(text: string, secrets: readonly string[]): string {
  const lengthAt = (at: number): number => {
    const cut = text.indexOf('…', at);
    const lengths = secrets.map((secret) => {
      if (text.startsWith(secret, at)) return secret.length;
      const isBeginning = cut - at >= 4 && cut - at < secret.length && secret.startsWith(text.slice(at, cut));
      return isBeginning ? cut - at : 0;
    });
    return Math.max(...lengths);
  };
  let masked = '';
  for (let at = 0; at < text.length;) {
    let end = at + lengthAt(at);
    if (end === at) {
      masked += text[at++];
      continue;
    }
    for (let inside = at; inside < end; inside++) end = Math.max(end, inside + lengthAt(inside));
    masked += dots;
    at = end;
  }
  return masked;
}

const unit = fc.constantFrom('a', 'a', 'a', 'b');
const part = fc.string({ unit, minLength: 1, maxLength: 5 });
/** Texts that repeat themselves, longer and shorter than the limit for long secrets. */
const secret = fc
  .tuple(part, fc.integer({ min: 4, max: 90 }), fc.string({ unit, maxLength: 2 }))
  .map(([repeated, count, end]) => repeated.repeat(count).slice(0, 90) + end);

test('[S2] property: secrets that repeat themselves are found in every place, also where a text was cut', () => {
  fc.assert(
    fc.property(fc.array(secret, { minLength: 1, maxLength: 3 }), fc.infiniteStream(fc.nat(9)), (secrets, choices) => {
      const next = () => choices.next().value ?? 0;
      const pieces = Array.from({ length: 6 }, () => {
        const one = secrets[next() % secrets.length] ?? '';
        return one.slice(0, [one.length, 70, one.length - 1, 12][next() % 4]) + ['', '…', 'a', 'x', 'b'][next() % 5];
      });
      const text = pieces.join('');
      assert.equal(new SecretFinder(secrets).mask(text), maskedSlowly(text, secrets));
    }),
    { numRuns: 2_000 },
  );
});

test('[S2] property: no beginning of a long secret is left at the end of a cut text', () => {
  fc.assert(
    fc.property(secret, fc.nat(200), (one, length) => {
      const text = `x${one}${one}`.slice(0, length);
      const masked = new SecretFinder([one]).maskBeginning(text);
      const left = [...Array(masked.length).keys()].filter((at) => one.startsWith(masked.slice(at)));
      assert.ok(
        left.every((at) => masked.length - at <= 2),
        masked,
      );
    }),
  );
});

test('[S2] a secret is found with the escapes of other languages', () => {
  const finder = new SecretFinder([`pä/s<&>'+"w!*`]);
  const written = {
    PHP: String.raw`p\u00e4\/s<&>'+\"w!*`,
    'PHP without Unicode escapes': String.raw`pä\/s<&>'+\"w!*`,
    Python: String.raw`p\u00e4/s<&>'+\"w!*`,
    Go: String.raw`pä/s\u003c\u0026\u003e'+\"w!*`,
    '.NET': String.raw`p\u00E4/s\u003C\u0026\u003E\u0027\u002B\u0022w!*`,
    'a URL in Python': `p%C3%A4/s%3C%26%3E%27%2B%22w%21%2A`,
    'a strict URL': `p%C3%A4%2Fs%3C%26%3E%27%2B%22w%21%2A`,
  };
  for (const [language, text] of Object.entries(written)) assert.equal(finder.mask(text), dots, language);
});

test('[S2] the lines of a secret are found separately, except for short ones', () => {
  const finder = new SecretFinder(['-----BEGIN KEY-----\nMIIEvQIBADANBg\r\nend\n']);
  assert.deepEqual(
    ['key is -----BEGIN KEY-----', 'MIIEvQIBADANBg', 'end'].map((line) => finder.mask(line)),
    [`key is ${dots}`, dots, 'end'],
  );
  assert.equal(new SecretFinder(['-----BEGIN KEY-----\\nMIIEvQIBADANBg\\n']).mask('MIIEvQIBADANBg'), dots);
});

test('[S2] the beginning of a secret at the end of a text has its length', () => {
  const finder = new SecretFinder(['abcabcabd', `x${'y'.repeat(100_000)}`]);
  const lengths = ['zabcabc', 'zabcabca', 'abcabcabd', 'none', `x${'y'.repeat(9_000)}`].map((text) =>
    finder.lengthAtEnd(text),
  );
  assert.deepEqual(lengths, [6, 7, 2, 2, 9_001]);
});

test('[S2] a long secret needs a few times its memory, and is found with JSON escapes', async () => {
  const secret = `"${'?'.repeat(1_000_000)}`;
  const before = await heapBytes();
  const finder = new SecretFinder([secret]);
  const masked = [finder.mask(`x${secret}`), finder.mask(JSON.stringify({ secret })), finder.maskBeginning('x"???')];
  const grown = (await heapBytes()) - before;
  assert.deepEqual(masked, [`x${dots}`, `{"secret":"${dots}"}`, `x${dots}`]);
  assert.equal(finder.longest, 1_000_002);
  assert.ok(grown < 20_000_000, `${grown} bytes`);
});

test('[S2] the time is linear in the text for a long secret, also if both repeat themselves', () => {
  for (const secret of ['a'.repeat(30_000), `${'a'.repeat(30_000)}b`, 'ab'.repeat(15_000)]) {
    const finder = new SecretFinder([secret]);
    const run = (length: number) => {
      const text = secret.slice(0, 2).repeat(length / 2);
      finder.mask(text);
      finder.maskBeginning(text);
    };
    assertGrowsLinearly(run, 200_000, secret.slice(0, 3));
  }
  const run = (length: number) => void new SecretFinder(['a'.repeat(length)]).mask('a'.repeat(length * 2));
  assertGrowsLinearly(run, 200_000, 'a long secret');
});
