import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { withSortedKeys } from '../../../src/core/base/jsonText.js';
import { maskValue } from '../../../src/core/base/masking.js';
import { copyWith, emptyObjectFor, objectOf, setOwn } from '../../../src/core/base/objectCopy.js';
import { without } from '../../../src/core/base/guards.js';
import { masked } from '../../../src/core/auth/signInTrace.js';
import { readJson } from '../../../src/core/config/jsonEdit.js';
import { readToml } from '../../../src/core/config/toml.js';
import { normalizedParams } from '../../../src/core/testing/recording/requestKey.js';
import { filledIn } from '../../../src/core/testing/values.js';
import { readYaml } from '../../../src/core/testing/yamlTree.js';
import { heapBytes } from '../../support/heapBytes.js';

const indexed = Array.from({ length: 5_000 }, () => JSON.parse('{"1023":1,"a":2}') as Record<string, unknown>);

/** The memory of the copies of one object, bytes. */
async function bytesOf(copies: () => unknown[]): Promise<number> {
  const start = await heapBytes();
  const made = copies();
  const growth = (await heapBytes()) - start;
  return growth / made.length;
}

describe('a copy of an object with an index as name is about as large as the object', () => {
  const ways: Record<string, (value: Record<string, unknown>) => unknown> = {
    objectOf: (value) => objectOf(Object.entries(value)),
    copyWith: (value) => copyWith(value, { uri: 'a:b' }),
    emptyObjectFor: (value) => {
      const copy = emptyObjectFor(Object.keys(value));
      for (const [name, member] of Object.entries(value)) setOwn(copy, name, member);
      return copy;
    },
    without: (value) => without(value, 'a'),
    maskValue: (value) => maskValue(value, ['a secret']),
    withSortedKeys: (value) => withSortedKeys(value),
    masked: (value) => masked(value),
    filledIn: (value) => filledIn(value, {}, 'mcptest'),
    normalizedParams: (value) => normalizedParams('tools/call', value),
    plainValue: (value) => readJson(JSON.stringify(value)),
    readYaml: (value) => readYaml(JSON.stringify(value)).root?.value,
    readToml: () => readToml('1023 = 1'),
  };
  for (const [name, copy] of Object.entries(ways))
    test(name, async () => {
      // `{"1023":1}` of `JSON.parse` has 208 bytes. The array of V8 would have 12,400.
      assert.ok((await bytesOf(() => indexed.map(copy))) < 1_000);
    });
});

test('copies have the members of the original in the same order, with any names', () => {
  const name = fc.oneof(
    fc.constantFrom('__proto__', 'constructor', '0', '007', '10', '1023', '1024', '9999', '5000', '4294967295', ''),
    fc.string({ maxLength: 4 }),
  );
  const entries = fc.array(fc.tuple(name, fc.integer()), { maxLength: 12 });
  fc.assert(
    fc.property(entries, (members) => {
      const expected = Object.fromEntries(members);
      const json = JSON.stringify(expected);
      assert.equal(JSON.stringify(objectOf(members)), json);
      assert.equal(Object.getPrototypeOf(objectOf(members)), Object.prototype);
      const copy = copyWith(expected, { own: 1 });
      assert.equal(copy.own, 1);
      assert.deepEqual(Object.keys(copy).sort(), [...new Set([...Object.keys(expected), 'own'])].sort());
    }),
  );
});

/** The values of a form have at most 2,000 parts. */
const boundedFiles: ReadonlySet<string> = new Set(['src/shared/form/formSecrets.ts', 'src/shared/form/formValue.ts']);

/** Functions and methods in the layout of Prettier. */
const functions =
  /^( {2})?(?:(?:export|private|static|async) )*(?:function\*? )?(\w+)(?:<.*>)?\([^;]*?\{\n[^]*?^\1}$/gm;

test('no recursive function copies objects with Object.fromEntries, which needs much memory for indexes', () => {
  const found: string[] = [];
  for (const entry of readdirSync('src', { recursive: true, encoding: 'utf8' })) {
    const file = path.join('src', entry).split(path.sep).join('/');
    if (!file.endsWith('.ts') || boundedFiles.has(file)) continue;
    for (const [text, , name = ''] of readFileSync(file, 'utf8').matchAll(functions)) {
      const calls = text.match(new RegExp(`(?<![\\w.]|(?<!this)\\.)${name}[()]`, 'g')) ?? [];
      if (text.includes('Object.fromEntries(') && calls.length > 1) found.push(`${file} ${name}`);
    }
  }
  assert.deepEqual(found, []);
});
